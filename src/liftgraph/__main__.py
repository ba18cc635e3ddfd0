"""``python -m liftgraph`` is the command ``liftgraph``."""

import sys

from liftgraph_command import main

sys.exit(main())

"""``python -m liftgraph`` is the command ``liftgraph``."""

import sys

from liftgraph.cli import main

sys.exit(main())

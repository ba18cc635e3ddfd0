"""``python -m tests.soak MINUTES``: run the campaign, and say what it did."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from tests.soak.areas import AREAS
from tests.soak.campaign import Settings, run, summary
from tests.soak.storing import REGRESSIONS


def main() -> int:
    """Returns 1 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("minutes", type=float, help="how long to run")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of each area")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at most")
    parser.add_argument("--areas", nargs="+", choices=AREAS, default=list(AREAS))
    parser.add_argument("--journal", type=Path, default=Path("build/soak"))
    parser.add_argument("--regressions", type=Path, default=REGRESSIONS)
    options = parser.parse_args()
    areas = {name: AREAS[name] for name in options.areas}
    settings = Settings(
        options.minutes, options.seed, options.jobs, options.journal, options.regressions
    )
    done = run(areas, settings, partial(print, flush=True))
    print(summary(done))
    return int(any(record.failed for record in done.values()))


if __name__ == "__main__":
    sys.exit(main())

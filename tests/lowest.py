"""What the tests need, as pyproject.toml declares it, without tools and documentation.

``python tests/lowest.py`` prints requirements, so that their lowest versions can be installed.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
TOOLS = {"build", "hatchling", "ruff", "mypy", "liftgraph", "uv"}


def requirements(project: Path = PROJECT) -> list[str]:
    """The dependencies of the library and of its tests.

    >>> [line for line in requirements() if line.startswith(("numpy", "ruff"))]
    ['numpy>=2.0']
    """
    declared = tomllib.loads(project.read_text())["project"]
    every = [*declared["dependencies"], *declared["optional-dependencies"]["test"]]
    return [line for line in every if re.split(r"[^\w-]", line)[0] not in TOOLS]


if __name__ == "__main__":
    print("\n".join(requirements()))

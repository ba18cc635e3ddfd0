"""A virtual environment for every peer, made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent / ".environments"
OWN = "liftgraph"


def peers() -> list[str]:
    """The packages that have a worker and requirements."""
    return sorted(path.stem for path in HERE.glob("*.txt"))


def command(package: str) -> list[str]:
    """How to start a package's worker; makes its environment if there is none yet."""
    worker = str(HERE / f"{package}_worker.py")
    if package == OWN:
        return [sys.executable, worker]
    # -E: a PYTHONPATH that is set for liftgraph does not concern peers.
    return [str(_python(package)), "-E", worker]


def folder() -> Path:
    """Where environments and results are kept; git ignores it."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    (ENVIRONMENTS / ".gitignore").write_text("*\n")
    return ENVIRONMENTS


def _python(peer: str) -> Path:
    environment = folder() / peer
    python, mark = environment / "bin" / "python", environment / "installed.txt"
    requirements = HERE / f"{peer}.txt"
    if mark.exists() and mark.read_text() == requirements.read_text():
        return python
    print(f"installing {peer}", flush=True)
    _run(peer, sys.executable, "-m", "venv", str(environment))
    _run(peer, str(python), "-m", "pip", "install", "--quiet", "--requirement", str(requirements))
    mark.write_text(requirements.read_text())
    return python


def _run(peer: str, *words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout or "no reason given").strip().splitlines()
        raise SystemExit(f"{peer} could not be installed: {lines[-1]}")

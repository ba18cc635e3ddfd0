"""Modules which need an optional library are left out where it is not installed."""

from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(__file__).parent / "src" / "liftgraph"
NEEDED = {  # the library, and the modules that import it
    "torch": SOURCE.rglob("torch_*.py"),
    "pyspark": SOURCE.glob("distributed/*.py"),
}
missing = [modules for library, modules in NEEDED.items() if find_spec(library) is None]
collect_ignore = [str(module) for modules in missing for module in modules]

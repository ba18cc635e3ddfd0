"""Other Pythons to run the tests on: one that is installed, or one that Debian has.

``python tests/pythons.py 3.14`` prints the path of an interpreter, or says on stderr why there is
none, in a line. apt downloads Debian's packages, which are unpacked into ``build/python3.14``;
nothing is installed. The interpreter brings its own C library, so the machine may be older.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SUITE = "testing"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
WRAPPER = """#!/bin/sh
root='{root}'
exec "$root/{libraries}/ld-linux-x86-64.so.2" --argv0 "$0" --library-path "$root/{libraries}" \\
  "$root/usr/bin/{name}.debian" "$@"
"""


class UnavailableError(Exception):
    """Why there is no such interpreter."""


def interpreter(version: str, folder: Path) -> Path:
    """The path of an interpreter; it is unpacked into a folder if none is installed."""
    name = f"python{version}"
    if installed := shutil.which(name):
        return Path(installed)
    root = folder / name
    path = root / "usr" / "bin" / name
    if not path.exists():
        partial = folder / f"{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        for package in _downloaded(name, partial / "apt"):
            _output("dpkg-deb", "--extract", str(package), str(partial))
        shutil.rmtree(partial / "apt")
        _wrap(partial / "usr" / "bin" / name, root)
        partial.rename(root)
    return path


def _downloaded(package: str, folder: Path) -> list[Path]:
    """The files of a package and of all that it depends on, C library included.

    apt works in the folder, as if nothing were installed, and checks signatures.
    """
    lists, archives = folder / "lists", folder / "archives"
    for place in (lists, archives):
        (place / "partial").mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(f"deb {_debian()} {SUITE} main\n")
    settings = {
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": lists,
        "Dir::State::status": folder / "status",
        "Dir::Cache::archives": archives,
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "APT::Sandbox::User": "root",
        "APT::Install-Recommends": "false",
    }
    options = [f"-o={key}={value}" for key, value in settings.items()]
    _output("apt-get", *options, "--quiet", "update")
    _output("apt-get", *options, "--quiet", "--yes", "--download-only", "install", package)
    return sorted(archives.glob("*.deb"))


def _debian() -> str:
    """Where this machine gets Debian's packages from."""
    targets = _output("apt-get", "indextargets", "--format", "$(SITE)", "Origin: Debian")
    sites = [site for site in targets.split() if site.endswith("/debian")]
    if not sites:
        raise UnavailableError("none is installed, and this machine has no packages of Debian")
    return sites[0]


def _output(*command: str) -> str:
    """What a command prints; its last line says why it failed."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise UnavailableError(f"none is installed, and this machine has no {command[0]}") from None
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip() or f"{command[0]} failed").splitlines()[-1]
        raise UnavailableError(f"none is installed, and {command[0]} says: {reason}") from None
    return ran.stdout


def _wrap(path: Path, root: Path) -> None:
    """Put a script in the interpreter's place that starts it with its own C library."""
    path.rename(path.with_name(f"{path.name}.debian"))
    path.write_text(WRAPPER.format(root=root, libraries=LIBRARIES, name=path.name))
    path.chmod(0o755)


if __name__ == "__main__":
    try:
        print(interpreter(sys.argv[1], Path("build").absolute()))
    except UnavailableError as error:
        sys.exit(f"Python {sys.argv[1]} is left out: {error}")

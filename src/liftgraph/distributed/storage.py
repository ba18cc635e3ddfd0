"""Files of a run, wherever Spark reads and writes: on disks, in HDFS, in object stores."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

QUOTIENT, SETTINGS, SUMMARY = "quotient.json", "settings.json", "summary.json"  # of the output
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://?")
_WILD = re.compile(r"([][{}*?\\])")  # what Spark takes for a pattern of names


@dataclass(frozen=True)
class Folder:
    """A folder that a session of Spark can read and write. ``path``: absolute, or with a scheme."""

    spark: Any
    path: str

    def file(self, *names: str) -> str:
        """The path of something in the folder."""
        return "/".join([self.path, *names])


def folder(spark: Any, path: object) -> Folder:
    """A folder by its path; a path without a scheme is one of this machine."""
    text = str(path)
    return Folder(spark, (text if _SCHEME.match(text) else os.path.abspath(text)).rstrip("/"))


def _opened(spark: Any, path: str) -> tuple[Any, Any]:
    """Hadoop's file system for a path, and its own path."""
    own = spark._jvm.org.apache.hadoop.fs.Path(path)
    return own.getFileSystem(spark._jsc.hadoopConfiguration()), own


def stored_rows(spark: Any, path: str) -> Any:
    """The rows of the Parquet files at a path, whose characters all stand for themselves."""
    reader = spark.read.option("parquet.page.verify-checksum.enabled", "true")
    return reader.parquet(_WILD.sub(r"\\\1", path))


def exists(spark: Any, path: str) -> bool:
    """Whether there is a file or a folder."""
    system, own = _opened(spark, path)
    return bool(system.exists(own))


def read_text(spark: Any, path: str) -> str:
    """The content of a small file. Precondition: it exists."""
    system, own = _opened(spark, path)
    stream = system.open(own)
    try:
        return str(spark._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
    finally:
        stream.close()


def write_text(spark: Any, path: str, text: str) -> None:
    """Write a small file, which appears when it is complete."""
    system, own = _opened(spark, path)
    partial = spark._jvm.org.apache.hadoop.fs.Path(f"{path}.partial")
    stream = system.create(partial, True)
    try:
        stream.write(text.encode())
    finally:
        stream.close()
    system.delete(own, False)
    system.rename(partial, own)


def remove(spark: Any, path: str) -> None:
    """Remove a file or a folder, if it exists."""
    system, own = _opened(spark, path)
    system.delete(own, True)


def names(spark: Any, path: str) -> list[str]:
    """What is in a folder, by name; nothing if there is no folder."""
    system, own = _opened(spark, path)
    if not system.exists(own):
        return []
    return sorted(str(status.getPath().getName()) for status in system.listStatus(own))


def fingerprint(spark: Any, path: str) -> list[list[str | int]]:
    """The files below a folder with their sizes and times: another run sees if one has changed."""
    system, own = _opened(spark, path)
    files = system.listFiles(own, True)
    listed: list[list[str | int]] = []
    start = len(str(system.makeQualified(own)))
    while files.hasNext():
        status = files.next()
        name = str(status.getPath())[start:]
        if not name.endswith(".crc"):
            listed.append([name, int(status.getLen()), int(status.getModificationTime())])
    return sorted(listed)

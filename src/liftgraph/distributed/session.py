"""Starting Spark, and turning its errors into ours."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from liftgraph.errors import ComputationError, InputError, ParseError

_OURS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_FILE = re.compile(r"(?:file:)?(/[^\s'\"\]]+\.parquet[^\s'\"\],]*)")
_DAMAGED = re.compile(
    r"FAILED_READ_FILE|CANNOT_READ_FILE|is not a Parquet file|CRC|UNABLE_TO_INFER"
)


def check_installed() -> None:
    """Refuse to go on if Spark's library or what it exchanges tables with is missing."""
    if find_spec("pyspark") is None or find_spec("pyarrow") is None:
        raise InputError("the engine spark needs pyspark: pip install 'liftgraph[spark]'")


@contextmanager
def session(
    given: Any = None, master: str | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """A session of Spark: the given one, the active one, or one that ends afterwards.

    ``master``: as Spark writes it, such as ``local[2]``; by default that of ``spark-submit``, or
    all cores of this machine. ``settings``: Spark's own, which win over ours.
    Precondition: Spark is installed.
    """
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession() if given is None else given
    if active is not None:
        yield active
        return
    builder = SparkSession.builder.appName("liftgraph")
    for name, value in {**_OURS, **(settings or {})}.items():
        builder = builder.config(name, value)
    with spark_errors("Spark"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pyspark's, of versions of pandas
        started = (builder if master is None else builder.master(master)).getOrCreate()
    try:
        yield started
    finally:
        started.stop()


@contextmanager
def spark_errors(place: str) -> Iterator[None]:
    """Turns errors of Spark into errors of one line; damaged files are named.

    ``place``: what the error is about, if no file is known.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise _translated(place, str(error)) from None


def _translated(place: str, text: str) -> Exception:
    file, damaged = _FILE.search(text), _DAMAGED.search(text)
    first = text.partition("JVM stacktrace")[0].strip().partition("\n")[0]
    if "JAVA_GATEWAY_EXITED" in text:
        return InputError("the engine spark needs Java 17, but Spark did not start: is Java there?")
    if "PATH_NOT_FOUND" in text and file:
        return InputError(f"{file[1]}: expected a Parquet file or a folder of them, got nothing")
    if damaged and file:
        return ParseError(file[1], None, "expected Parquet, got a file that Spark cannot read")
    return ComputationError(f"{place}: Spark stopped: {first}")

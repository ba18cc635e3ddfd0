"""Starting Spark, and turning its errors into ours."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from liftgraph.errors import ComputationError, InputError, ParseError, quoted
from liftgraph.exact import shortened

_OURS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",  # errors are ours, of one line
}
_MASTER = re.compile(r"local(-cluster)?(\[[\w*,]+\])?|yarn|(spark|k8s)://.+")
_FILE = re.compile(r"file:? ?((?:\w[\w+.-]*:)?/[^\n]*\.(?:parquet|json))")
_DAMAGED = re.compile(
    r"FAILED_READ_FILE|CANNOT_READ_FILE|is not a Parquet file|CRC|ChecksumException"
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
        if not hasattr(active, "_jvm"):  # as sessions of Spark Connect
            came = shortened(quoted(active))
            raise InputError(f"expected a session whose driver is in this process, got {came}")
        yield active
        return
    if settings is not None and not isinstance(settings, Mapping):
        raise InputError(f"expected settings by their names, got {shortened(quoted(settings))}")
    if master is not None and not _MASTER.fullmatch(str(master)):
        expected = "a master such as local[4], spark://host:7077, k8s://… or yarn"
        raise InputError(f"expected {expected}, got {shortened(quoted(master))}")
    builder = SparkSession.builder.appName("liftgraph")
    for name, value in {**_OURS, **(settings or {})}.items():
        builder = builder.config(name, value)
    with _interruptible():
        with spark_errors("Spark"), warnings.catch_warnings(), _same_handler():
            warnings.simplefilter("ignore", FutureWarning)  # pyspark's, of versions of pandas
            started = (builder if master is None else builder.master(master)).getOrCreate()
        try:
            yield started
        finally:
            started.stop()


@contextmanager
def _same_handler() -> Iterator[None]:
    """Ctrl-C does afterwards what it did before: pyspark's own handler asks Java something while an
    answer of Java is being read, which fails with tracebacks."""
    handler = signal.getsignal(signal.SIGINT)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Interrupts are raised, and not logged with tracebacks as well, as py4j does.

    It logs them with its own loggers and with the root logger.
    """
    logger, own = logging.getLogger(), logging.getLogger("py4j")
    propagates = own.propagate
    logger.addFilter(_is_not_of_py4j)
    own.propagate = False
    try:
        yield
    finally:
        logger.removeFilter(_is_not_of_py4j)
        own.propagate = propagates


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


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
    if "JAVA_GATEWAY_EXITED" in text:
        if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
            return InputError("the engine spark needs Java 17, got no Java")
        return InputError("Spark did not start, and says above why: it needs Java 17 or newer")
    if "PATH_NOT_FOUND" in text or "UNABLE_TO_INFER" in text:
        expected = "expected a Parquet file or a folder of files *.parquet"
        return InputError(f"{place}: {expected}, got nothing")
    if "COLUMN_ALREADY_EXISTS" in text:
        return ParseError(place, None, f"expected Parquet, got {_reason(text)}")
    if _DAMAGED.search(text):
        file = _FILE.search(text)
        found = place if file is None else _local(file[1])
        expected = "a file that Spark can read, got a damaged one"
        if "DATA_TYPE_MISMATCH" in text:
            expected = "columns of the same types in all files of a table, got others"
        return ParseError(found, None, f"expected {expected}")
    return ComputationError(f"{place}: Spark stopped: {_reason(text)}")


def _reason(text: str) -> str:
    """The line of an error of Spark that says what is wrong; of Java's errors, the second one."""
    lines = text.partition("JVM stacktrace")[0].strip().splitlines()
    if len(lines) > 1 and lines[0].startswith("An error occurred while calling"):
        return lines[1].removeprefix(": ")
    return lines[0] if lines else "for no reason that it gave"


def _local(file: str) -> str:
    """The path of a file of this machine that Spark names by an address; others as they are."""
    scheme, _, path = file.partition(":")
    return "/" + unquote(path).lstrip("/") if scheme == "file" else file

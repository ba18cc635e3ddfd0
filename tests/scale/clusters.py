"""A local cluster of Spark for tests: a driver and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark

from liftgraph.distributed.session import session

MASTER = "local-cluster[2,1,1024]"
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    # Tasks are started a second time almost at once: whichever ends first counts.
    "spark.speculation": "true",
    "spark.speculation.interval": "20ms",
    "spark.speculation.multiplier": "1.05",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.minTaskRuntime": "20ms",
}


@contextmanager
def cluster(master: str = MASTER, events: Path | None = None) -> Iterator[Any]:
    """A session on a local cluster. ``events``: a folder for Spark's own log of what happened."""
    settings = dict(SETTINGS)
    if events is not None:
        settings |= {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri()}
        settings |= {"spark.eventLog.compress": "false", "spark.eventLog.rolling.enabled": "false"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pyspark, about versions of pandas
        with session(None, master, settings) as spark:
            yield spark


@contextmanager
def two_hosts(events: Path) -> Iterator[Any]:
    """A session on a cluster whose workers are on hosts with addresses of their own.

    Spark never starts a second copy of a task on the host that has the first one.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    started = [_started("master.Master", "--host", "127.0.0.1", "--port", str(port))]
    try:
        for host in ("127.0.0.2", "127.0.0.3"):
            one = "--host", host, "--cores", "1", "--memory", "1g", "--work-dir"
            started.append(_started("worker.Worker", *one, str(events.parent / host), master))
        with cluster(master, events) as spark:
            yield spark
    finally:
        for process in started:
            process.kill()
            process.wait()


def _started(name: str, *options: str) -> subprocess.Popen[bytes]:
    """A process of Spark's own cluster manager."""
    home = Path(pyspark.__file__).parent
    command = home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", "--webui-port", "0"
    environment = {**os.environ, "SPARK_HOME": str(home)}
    return subprocess.Popen(
        [*command, *options],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def events_in(folder: Path, kind: str) -> Iterator[dict[str, Any]]:
    """The events of a kind in Spark's log."""
    for file in sorted(folder.iterdir()):
        for line in file.read_text().splitlines():
            event = json.loads(line)
            if event["Event"] == kind:
                yield event


def workers() -> list[int]:
    """The processes of executors that run on this machine."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"CoarseGrainedExecutorBackend" in command:
                found.append(int(entry.name))
    return found


def pause_a_worker(seconds: float) -> int:
    """Let an executor do nothing for a while, and say which process it is."""
    process = min(workers())
    os.kill(process, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(process, signal.SIGCONT)
    return process


def kill_a_worker(after: float = 0.0) -> int:
    """Kill an executor without warning, and say which process it was."""
    time.sleep(after)
    process = min(workers())
    os.kill(process, signal.SIGKILL)
    return process

"""The command ``liftgraph likelihood``: how probable the rows of a table are."""

from __future__ import annotations

import json
import math
from argparse import Namespace

import numpy as np

from liftgraph.cli.evidence import read_evidence
from liftgraph.cli.options import (
    Commands,
    add_command,
    add_evidence,
    add_json,
    add_model,
    table_file,
)
from liftgraph.cli.output import aligned, show, show_table
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import check_sources, path_of, read_model


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "likelihood",
        "the log-likelihood of a table, whose rows are independent observations",
        "example:asia example:patients",
    )
    add_model(command)
    command.add_argument(
        "table",
        metavar="TABLE",
        help="rows of observations: .csv, .csv.gz or .parquet, columns named after the variables;"
        " an empty cell is a missing value, which is summed out; or - for CSV from standard input",
    )
    command.add_argument(
        "--counts", metavar="COLUMN", help="how often each row was observed (default: once)"
    )
    command.add_argument(
        "--ignore",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column which observes nothing; may be repeated",
    )
    add_evidence(command)
    add_json(command)
    command.set_defaults(run=likelihood)


def likelihood(options: Namespace) -> None:
    """Print the log-likelihood of a table, and how many of its rows are impossible."""
    from liftgraph.data.columns import native_columns
    from liftgraph.data.prediction.likelihood import log_likelihood
    from liftgraph.data.table_files import read_table

    check_sources([options.model, options.table])
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read_model(options)
        given = read_evidence(model, options)
        report.stage(f"reading {options.table}")
        table = read_table(path_of(table_file(options.table)), memory_limit=options.memory)
        report.stage("computing")
        chosen = {
            "given": given,
            "counts": options.counts,
            "ignore": options.ignore,
            "memory_limit": options.memory,
            "progress": report.done,
        }
        total = float(log_likelihood(model, table, **chosen))
        impossible = 0
        if total == -math.inf:
            logs = np.asarray(log_likelihood(model, table, by_row=True, **chosen))
            impossible = int(np.isneginf(logs).sum())
    rows = native_columns(table).rows
    if options.json:
        log = None if impossible else total
        show(json.dumps({"log_likelihood": log, "rows": rows, "impossible_rows": impossible}))
    else:
        lines = {"log-likelihood": f"{total:.12g}", "rows": f"{rows:,}"}
        show_table(aligned(lines | ({"impossible rows": f"{impossible:,}"} if impossible else {})))

"""The command ``liftgraph predict``: variables in each row of a table."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from liftgraph.cli.evidence import read_evidence
from liftgraph.cli.options import Commands, add_command, add_evidence, add_model, table_file
from liftgraph.cli.output import show
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import check_sources, path_of, read_model
from liftgraph.data.prediction.frames import observed_name
from liftgraph.errors import printable
from liftgraph.inference.methods import METHODS


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "predict",
        "the distributions of variables in each row of a table, given the values in the row",
        "example:asia example:patients lung --ignore lung --ignore either -o predicted.csv",
    )
    add_model(command)
    command.add_argument(
        "table",
        metavar="TABLE",
        help="rows of observations: .csv, .csv.gz or .parquet, columns named after the variables;"
        " an empty cell is a missing value; or - for CSV from standard input",
    )
    command.add_argument("variables", metavar="VAR", nargs="+", help="variables to predict")
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="CSV to write, .csv or .csv.gz (default: print it): the most probable state of each"
        " variable, the probability of each of its states, and its observed state if there is one,"
        " a line for each row",
    )
    command.add_argument(
        "--ignore",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column which is not evidence; may be repeated",
    )
    command.add_argument(
        "--impossible",
        choices=("refuse", "missing"),
        default="refuse",
        help="impossible rows: refuse the table (default), or leave their cells empty",
    )
    exact = [name for name, method in METHODS.items() if method.exact]
    command.add_argument(
        "--method", choices=exact, default="auto", help="how to compute (default: auto)"
    )
    add_evidence(command)
    command.set_defaults(run=predict)


def predict(options: Namespace) -> None:
    """Predict variables in each row, and write or print them."""
    from liftgraph.data.prediction.predict import predict as predict_rows
    from liftgraph.data.table_files import check_csv_name, csv_text, read_table, write_csv

    if options.output is not None:
        check_csv_name(options.output)  # a wrong name is refused before anything is read
    check_sources([options.model, options.table])
    with reporting() as report:
        report.stage(f"reading {options.model}")
        model = read_model(options)
        given = read_evidence(model, options)
        report.stage(f"reading {options.table}")
        table = read_table(path_of(table_file(options.table)), memory_limit=options.memory)
        report.stage("predicting")
        predicted = predict_rows(
            model,
            table,
            *options.variables,
            given=given,
            ignore=options.ignore,
            impossible=options.impossible,
            method=options.method,
            memory_limit=options.memory,
            progress=report.done,
        )
        columns = predicted if isinstance(predicted, dict) else predicted.to_pydict()
        if options.output is not None:
            report.stage(f"writing {options.output}")
            write_csv(columns, options.output)
    for line in comparisons(columns, options.variables):
        print(line, file=sys.stderr)
    if options.output is None:
        show(csv_text(columns), end="")


def comparisons(columns: dict[str, list[Any]], variables: list[str]) -> Iterator[str]:
    """For each predicted variable that was observed, how often its most probable state came.

    >>> [*comparisons({"A": ["x", "y", "y"], "A observed": ["x", "x", None]}, ["A"])]
    ['A: 1 of 2 observed states predicted']
    """
    for variable in variables:
        pairs = zip(columns[variable], columns.get(observed_name(variable), []), strict=False)
        equal = [predicted == observed for predicted, observed in pairs if observed is not None]
        if equal:
            name = printable(variable)
            yield f"{name}: {sum(equal):,} of {len(equal):,} observed states predicted"

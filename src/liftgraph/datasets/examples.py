"""Examples that come with the library as files: two models, and a table of observations."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from liftgraph.data.csv_tables import read_csv
from liftgraph.errors import InputError
from liftgraph.io import read_graph
from liftgraph.model.ground.factor_graph import FactorGraph

MODELS = {"asia": "asia.bif", "epidemic": "epidemic.json"}
TABLES = {"patients": "patients.csv"}


def epidemic() -> FactorGraph:
    """The epidemic of the paper's Figure 1: two people, two medications, and counts as potentials.

    Bob was observed half as often as Alice: his tables are hers, up to a scale.

    >>> print(epidemic().query("Sick.alice", given={"Epid": "true"}))
    P(Sick.alice)
      true   0.75       ██████████████████████
      false  0.25       ████████
    """
    return read_graph(example_file("epidemic", MODELS))


def asia() -> FactorGraph:
    """Lauritzen and Spiegelhalter's network (1988): shortness of breath, and where it comes from.

    >>> print(asia().query("lung", given={"dysp": "yes", "xray": "yes"}))
    P(lung)
      yes  0.621253   ███████████████████
      no   0.378747   ███████████
    """
    return read_graph(example_file("asia", MODELS))


def patients() -> dict[str, list[str | None]]:
    """Observations of 200 patients, drawn at random from ``asia``: a column for each variable, in
    which None is a missing value.

    >>> predicted = asia().predict(patients(), "lung", ignore=["tub", "lung", "either"])
    >>> len(predicted["lung"])
    200
    """
    return read_csv(example_file("patients", TABLES))


def example_file(name: str, examples: dict[str, str]) -> Path:
    """The file of an example, one of ``MODELS`` or ``TABLES``.

    >>> example_file("asia", MODELS).name
    'asia.bif'
    """
    if name not in examples:
        raise InputError(f"expected the example {' or '.join(examples)}, got {name!r}")
    return Path(str(files(__package__) / examples[name]))

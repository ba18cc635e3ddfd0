"""The epidemic example: does an epidemic make Alice sick?

There are two people and two medications. The numbers are counts, and Bob was observed half as often
as Alice: his tables are hers, up to a scale. The model is written to the files that are named on
the command line.
"""

from __future__ import annotations

import sys

import liftgraph as lg


def epidemic() -> lg.FactorGraph:
    """The model, factor by factor."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable("Epid")
    builder.add_factor(["Epid"], [1, 9])
    for person, scale in {"alice": 2, "bob": 1}.items():
        travel, sick = f"Travel.{person}", f"Sick.{person}"
        builder.add_variables([travel, sick, f"Treat.{person}.m1", f"Treat.{person}.m2"])
        builder.add_factor([travel], [scale, 3 * scale])
        trips = [scale * count for count in (9, 3, 1, 7, 7, 1, 3, 9)]  # true before false
        builder.add_factor([travel, sick, "Epid"], trips)
        for medication in ("m1", "m2"):
            treat = f"Treat.{person}.{medication}"
            treatments = [scale * count for count in (8, 2, 6, 4, 1, 9, 1, 9)]
            builder.add_factor([sick, "Epid", treat], treatments)
    return builder.build()


if __name__ == "__main__":
    graph = epidemic()
    print(graph.query("Sick.alice", given={"Epid": "true"}))
    for path in sys.argv[1:]:
        lg.write(graph, path)

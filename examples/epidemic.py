"""The epidemic example: does an epidemic make Alice sick? Writes the model if given a file name.

Two people and two medications; the numbers are counts, and Bob was observed half as often as
Alice, so his tables have another scale but say the same.
"""

from __future__ import annotations

import sys

import liftgraph as lg


def epidemic() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("Epid")
    builder.add_factor(["Epid"], [1, 9])
    for person, scale in {"alice": 2, "bob": 1}.items():
        travel, sick = f"Travel.{person}", f"Sick.{person}"
        builder.add_variables([travel, sick, f"Treat.{person}.m1", f"Treat.{person}.m2"])
        builder.add_factor([travel], [scale, 3 * scale])
        trips = [[[9, 3], [1, 7]], [[7, 1], [3, 9]]]  # travelled or not, sick or not, Epid or not
        builder.add_factor(
            [travel, sick, "Epid"], [[[scale * n for n in c] for c in b] for b in trips]
        )
        for medication in ("m1", "m2"):
            treat = f"Treat.{person}.{medication}"
            builder.add_factor([sick, "Epid", treat], [scale * n for n in (8, 2, 6, 4, 1, 9, 1, 9)])
    return builder.build()


if __name__ == "__main__":
    graph = epidemic()
    print(lg.query(graph, "Sick.alice", given={"Epid": "true"}))
    for path in sys.argv[1:]:
        lg.write(graph, path)

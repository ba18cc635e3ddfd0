"""Dynamic Bayesian networks of pgmpy against its own inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import liftgraph as lg

pytest.importorskip("pgmpy")


def network() -> Any:
    """A hidden state that two sensors of the same kind observe."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DynamicBayesianNetwork

    sensors = ["S1", "S2"]
    edges: list[Any] = [(("Z", 0), ("Z", 1))]
    edges += [(("Z", 0), (sensor, 0)) for sensor in sensors]
    model = DynamicBayesianNetwork(edges)
    model.add_cpds(
        TabularCPD(("Z", 0), 2, [[0.6], [0.4]]),
        TabularCPD(("Z", 1), 2, [[0.7, 0.2], [0.3, 0.8]], [("Z", 0)], [2]),
        *[
            TabularCPD((sensor, 0), 2, [[0.9, 0.25], [0.1, 0.75]], [("Z", 0)], [2])
            for sensor in sensors
        ],
    )
    model.initialize_initial_state()
    return model


def test_filtering_agrees_with_pgmpy() -> None:
    from pgmpy.inference import DBNInference

    given, model = network(), lg.dynamic_from_pgmpy(network())
    seen = [0, 1, 1]
    observed = [{"S1": state, "S2": 0} for state in seen]
    evidence = {(f"S{1}", day): state for day, state in enumerate(seen)}
    evidence |= {("S2", day): 0 for day in range(len(seen))}
    expected = DBNInference(given).forward_inference([("Z", 2)], evidence)[("Z", 2)]
    found = model.filter(observed, "Z")[2]
    np.testing.assert_allclose(found.probabilities, expected.values, rtol=1e-9)
    assert model.observe, "sensors are not carried along"


def test_equal_sensors_are_one_parfactor() -> None:
    model = lg.dynamic_from_pgmpy(network(), decimals=True)
    assert len(model.observe) == 1
    two = model.filter([{"S1": 0, "S2": 0}], "Z", exact=True)[0]
    # Both sensors say 0: 0.6 · 0.9² against 0.4 · 0.25².
    assert two.exact["0"] == lg.Table.of(["0.486"]).scale / lg.Table.of(["0.511"]).scale


def test_incomplete_networks_are_refused() -> None:
    from pgmpy.models import DynamicBayesianNetwork

    with pytest.raises(lg.InputError, match="expected a conditional distribution"):
        lg.dynamic_from_pgmpy(DynamicBayesianNetwork([(("Z", 0), ("Z", 1))]))
    with pytest.raises(lg.InputError, match="DynamicBayesianNetwork"):
        lg.dynamic_from_pgmpy(3)

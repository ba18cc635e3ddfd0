"""The marginals of one PRV, with its individuals in columns.

A model that was written with logvars says which individuals a variable has. In other models it is
what the names of variables say: a PRV is what they begin with, up to the first dot.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.inference.automatic import Model
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.answers.relational import ByPRV, ListedRows, PRVMarginals
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.substitutions import substitutions
from liftgraph.model.lifted.variables import has_variable, variable_names
from liftgraph.model.query import BY_PRV, MARGINALS, Kind

_NAMED = 20  # the most PRVs that an error names


def kind_for(model: Model) -> Kind:
    """The question whose answer has the marginals of a PRV."""
    return BY_PRV if _has_own_logvars(model) else MARGINALS


def _has_own_logvars(model: Model) -> bool:
    return isinstance(model, ParfactorGraph) and model.origin is None


def _names(model: Model) -> Sequence[str]:
    """The names of the variables of a graph, or of the graph that a model was lifted from."""
    if isinstance(model, ParfactorGraph):
        return variable_names(model.places)
    return model.names or ()


def _prvs(model: Model) -> list[str]:
    """The names of the PRVs of a model."""
    if isinstance(model, ParfactorGraph) and model.origin is None:
        return [*model.places.prv_index]
    return [*dict.fromkeys([name.partition(".")[0] for name in _names(model)])]


def is_prv(model: Model, name: str) -> bool:
    """Whether this is the name of a PRV, and not of a variable."""
    if isinstance(model, ParfactorGraph):
        return not has_variable(model.places, name) and name in _prvs(model)
    return not model.has_variable(name) and name in _prvs(model)


def check_prv(model: Model, name: object) -> None:
    """Refuse a name that no PRV has."""
    known = _prvs(model)
    if name not in known:
        listed = ", ".join(known[:_NAMED]) + ", …" * (len(known) > _NAMED)
        hint = did_you_mean(str(name), known)
        raise InputError(f"expected a PRV ({listed}), got {quoted(name)}{hint}")


def of_prv(model: Model, name: str, answer: Answer) -> PRVMarginals:
    """The marginals of a PRV in the answer to the question ``kind_for`` says.

    Precondition: there is such a PRV.
    """
    if isinstance(answer, ByPRV):
        return answer.prvs[name]
    if not isinstance(answer, Marginals):
        raise InputError(f"expected marginals of all variables, got {quoted(answer)}")
    if isinstance(model, ParfactorGraph) and model.origin is None:
        return _by_substitution(model, name, answer)
    return _by_name(name, answer)


def _by_substitution(model: ParfactorGraph, name: str, answer: Marginals) -> PRVMarginals:
    """Variables come PRV after PRV, in the order of substitutions."""
    index = model.places.prv_index[name]
    prv, start = model.prvs[index], model.variable_start[index]
    chosen = zip(prv.logvars, substitutions(prv.pattern), strict=False)
    columns = [[*map(logvar.domain.individual, numbers)] for logvar, numbers in chosen]
    headings = tuple([logvar.name for logvar in prv.logvars])
    return _marginals(name, headings, columns, range(start, start + prv.size), answer)


def _by_name(stem: str, answer: Marginals) -> PRVMarginals:
    """Variables whose names begin with a stem; what follows the dots are their individuals."""
    parted = [name.split(".") for name in answer.names]
    places = [place for place, (first, *_) in enumerate(parted) if first == stem]
    arities = {len(parted[place]) - 1 for place in places}
    if len(arities) > 1:
        names = ", ".join([answer.names[place] for place in places[:3]])
        raise InputError(f"expected names of {stem} with equally many dots, got {names}, …")
    arity = arities.pop()
    columns = [[parted[place][1 + part] for place in places] for part in range(arity)]
    headings = ["individual"] if arity == 1 else [f"individual {n + 1}" for n in range(arity)]
    return _marginals(stem, tuple(headings), columns, places, answer)


def _marginals(
    name: str,
    headings: tuple[str, ...],
    columns: Sequence[list[str]],
    places: Sequence[int],
    answer: Marginals,
) -> PRVMarginals:
    """The marginals of a PRV whose variables have these places in an answer."""
    used, groups = np.unique(answer.group[np.array(places, dtype=np.int64)], return_inverse=True)
    distributions = tuple([answer.distributions[group] for group in used.tolist()])
    if len({shared.states for shared in distributions}) > 1:
        raise InputError(f"expected variables of {name} with the same states, got different ones")
    states = distributions[0].states if distributions else ()
    rows = ListedRows(headings, tuple(columns), groups.astype(np.int64))
    accuracy = answer.method, answer.log_odds_bound, answer.approximate
    return PRVMarginals(name, states, rows, distributions, *accuracy)

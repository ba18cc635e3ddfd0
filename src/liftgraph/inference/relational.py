"""The marginals of one PRV, with its individuals in columns.

A model that was written with logvars says which individuals a variable has, and so does a factor
graph that was made from a template. In other models it is what the names of variables say: a PRV is
what they begin with, up to the first dot.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.inference.automatic import Model
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.answers.relational import ByPRV, ListedRows, PRVMarginals
from liftgraph.model.lifted.ground_prvs import GroundPRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
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
    stems = [name.partition(".")[0] for name in _names(model)]
    return [*dict.fromkeys([*_ground_prvs(model), *stems])]


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
    known = _ground_prvs(model).get(name)
    if known is None or _names_of(answer, known) != known.names():
        return _by_name(name, answer)
    headings = tuple([logvar.name for logvar in known.prv.logvars])
    places = range(known.first, known.first + known.numbering.total)
    rows, distributions = _rows(headings, known.individuals(), places, answer)
    return PRVMarginals(name, known.prv.states, rows, distributions, *_accuracy(answer))


def _names_of(answer: Marginals, ground: GroundPRV) -> list[str]:
    """The names of those variables of an answer that have the numbers of a PRV's."""
    return [*answer.names[ground.first : ground.first + ground.numbering.total]]


def _ground_prvs(model: Model) -> dict[str, GroundPRV]:
    """The PRVs that variables are known to stand for, one after the other; by name."""
    listed = model.ground_prvs if isinstance(model, ParfactorGraph) else model.prvs
    return {ground.prv.name: ground for ground in listed}


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
    rows, distributions = _rows(tuple(headings), columns, places, answer)
    if len({shared.states for shared in distributions}) > 1:
        raise InputError(f"expected variables of {stem} with the same states, got different ones")
    return PRVMarginals(stem, distributions[0].states, rows, distributions, *_accuracy(answer))


def _accuracy(answer: Marginals) -> tuple[str, float, bool]:
    return answer.method, answer.log_odds_bound, answer.approximate


def _rows(
    headings: tuple[str, ...],
    columns: Sequence[list[str]],
    places: Sequence[int],
    answer: Marginals,
) -> tuple[ListedRows, tuple[Distribution, ...]]:
    """The rows of variables that have these places in an answer, and their distributions."""
    used, groups = np.unique(answer.group[np.array(places, dtype=np.int64)], return_inverse=True)
    distributions = tuple([answer.distributions[group] for group in used.tolist()])
    return ListedRows(headings, tuple(columns), groups.astype(np.int64)), distributions

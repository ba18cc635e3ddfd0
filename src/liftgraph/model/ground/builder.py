"""Building factor graphs: one variable or factor at a time, or whole arrays at once."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted, short_traceback, without_frames
from liftgraph.exact import shortened
from liftgraph.model.arrays import NO_INDICES
from liftgraph.model.ground.checks import check_scopes, check_shapes, check_table_ids
from liftgraph.model.ground.count_builder import CountBuilder
from liftgraph.model.ground.factor_graph import FactorGraph, pointers
from liftgraph.model.ground.given_values import (
    array_of,
    in_states,
    is_potential,
    lookup_key,
    rows_by_state,
)
from liftgraph.model.ground.names import (
    BOOLEAN,
    States,
    checked_name,
    default_index,
    is_count,
    listed_names,
    state_names,
)
from liftgraph.model.ground.table import Potential, PotentialPool, Table, UnknownDistribution

_MAX_VARIABLES = 2**31 - 1


class _Column:
    """A growing sequence of int32: integers are appended to a tail, arrays are not copied."""

    def __init__(self) -> None:
        self.tail = array("i")
        self._parts: list[NDArray[np.int32]] = []

    def add(self, numbers: NDArray[np.int32]) -> None:
        self._parts += [np.array(self.tail, dtype=np.int32), numbers]
        self.tail = array("i")

    def joined(self) -> NDArray[np.int32]:
        self.add(NO_INDICES)
        parts = [part for part in self._parts if len(part)]
        self._parts = [parts[0] if len(parts) == 1 else np.concatenate([NO_INDICES, *parts])]
        return self._parts[0]


class FactorGraphBuilder(CountBuilder):
    """Collects variables and factors and checks each one immediately; ``build()`` freezes them.

    >>> builder = FactorGraphBuilder()
    >>> builder.add_variable("Epid")
    0
    >>> builder.add_variable("Sick.alice", states=("true", "false"))
    1
    >>> builder.add_factor(("Sick.alice", "Epid"), [[3, 1], [1, 5]])
    0
    >>> builder.build()
    FactorGraph(2 variables, 1 factor, 1 table, 0 observed)
    """

    if not TYPE_CHECKING:  # type checkers know the names below, and no others

        def __getattr__(self, name: str) -> Any:
            from liftgraph.model.elsewhere import missing

            raise missing(self, name)

    def __init__(self, pool: PotentialPool | None = None) -> None:
        self.pool = PotentialPool() if pool is None else pool
        self._names: dict[str, int] = {}  # empty as long as every variable is called by its index
        self._state_sets: dict[States, int] = {}
        self._sizes: list[int] = []  # number of states, by state set
        self._state_set_id = array("i")
        self._factor_count = 0
        self._arity = _Column()
        self._scope = _Column()
        self._table_id = _Column()
        self._table_ids_by_values: dict[object, int] = {}
        self._parents: dict[int, list[int]] = {}  # of variables whose distribution was added

    def add_variable(self, name: str | None = None, states: Sequence[str] | int = BOOLEAN) -> int:
        """Add one variable and return its index.

        ``states``: names, or how many there are (then called 0, 1, …); true and false by default.
        Without a name, the name of the variable is its index.
        """
        try:
            states_id = self._add_states(states)
            self._add_names(1, None if name is None else [checked_name(name)])
        except InputError as error:
            raise without_frames(error) from None
        self._state_set_id.append(states_id)
        return len(self._state_set_id) - 1

    @short_traceback
    def add_variables(
        self, names: Sequence[str] | int, states: Sequence[str] | int = BOOLEAN
    ) -> range:
        """Add variables with the same states, by names or by their number; return their
        indices."""
        listed = None if is_count(names) else listed_names(names)
        count = int(names) if is_count(names) else len(listed or ())
        first = len(self._state_set_id)
        states_id = self._add_states(states)
        self._add_names(count, listed)
        self._state_set_id.extend(array("i", [states_id]) * count)
        return range(first, first + count)

    def add_table(self, values: object, shape: Sequence[int] | None = None) -> int:
        """Add a potential (or what ``Table.of`` takes) to the pool and return its index there."""
        return self.pool.add(values if is_potential(values) else Table.of(values, shape))

    def add_factor(self, scope: Sequence[str | int], values: object) -> int:
        """Add one factor and return its index.

        ``values``: a ``Table`` or another potential, nested lists or a flat list.
        """
        try:
            variables = self._variables(scope)
        except InputError as error:
            raise without_frames(error) from None
        try:
            shape = tuple([self._sizes[self._state_set_id[variable]] for variable in variables])
            table_id = self._table_id_of(values, shape)
        except InputError as error:
            raise InputError(f"factor {self._factor_count} ({_listed(scope)}): {error}") from None
        if len(set(variables)) < len(variables):
            raise InputError(
                f"factor {self._factor_count} lists a variable twice: {_listed(scope)}"
            )
        self._arity.tail.append(len(variables))
        self._scope.tail.extend(variables)
        self._table_id.tail.append(table_id)
        self._factor_count += 1
        return self._factor_count - 1

    @short_traceback
    def add_distribution(
        self, child: str | int, parents: Sequence[str | int], table: object = None
    ) -> int:
        """Add the distribution of a variable given its parents; return the index of its factor.

        ``table``: probabilities that sum to 1 for each combination of the parents' states, which
        is checked. As an array, nested lists or a flat list, it has an axis for each parent, and
        the variable last, as ``cpd`` shows it. As a mapping, it has a row by the state of a parent,
        or by the states of several in a tuple; a row is a list, or has a number by state. Without
        a table there are only arrows, and questions about probabilities are refused.

        >>> builder = FactorGraphBuilder()
        >>> _ = builder.add_variables(["Fire", "Alarm"], ["yes", "no"])
        >>> _ = builder.add_distribution("Fire", [], {"yes": "0.01", "no": "0.99"})
        >>> _ = builder.add_distribution("Alarm", ["Fire"], [["0.9", "0.1"], ["0.2", "0.8"]])
        >>> print(builder.build().cpd("Alarm"))
        P(Alarm | Fire)
        Fire  yes  no
        yes   0.9  0.1
        no    0.2  0.8
        """
        if isinstance(parents, str) or not isinstance(parents, Sequence):
            came = f"got {quoted(parents)}"
            raise InputError(f"distribution of {child}: expected a list of parents, {came}")
        scope = [*map(self._variable, [*parents, child])]
        names = [*map(self._name, scope)]
        variables = [*zip(names, self._states(scope), strict=True)]
        if scope[-1] in self._parents:
            raise InputError(f"expected one distribution of {child}, got another")
        try:
            potential = self._distribution(variables, table)
        except InputError as error:
            raise InputError(f"distribution of {_listed_family(names)}: {error}") from None
        factor = self.add_factor(scope, potential)
        self._parents[scope[-1]] = scope[:-1]
        return factor

    def _distribution(self, variables: Sequence[tuple[str, States]], table: object) -> Potential:
        """The checked distribution of the last variable given the others."""
        from liftgraph.model.ground.bayesian_network import checked_distribution, is_distribution

        shape = tuple([len(states) for _, states in variables])
        if table is None:
            return UnknownDistribution(variables[-1][0], shape)
        if is_potential(table) and not isinstance(table, Table):
            if table.shape == shape and not is_distribution(table, len(shape) - 1):
                raise InputError("expected probabilities that sum to 1 over its states")
            return table
        values = rows_by_state(table, variables) if isinstance(table, Mapping) else table
        listed = values if isinstance(values, Table) else Table.of(values, shape)
        if listed.shape != shape:
            raise InputError(f"expected a table of shape {shape}, got {listed.shape}")
        try:
            return checked_distribution(listed, partial(in_states, variables[:-1]))
        except InputError as error:
            raise InputError(f"{error}; add_factor takes any numbers") from None

    @short_traceback
    def add_factors(
        self, scopes: ArrayLike, table: object = None, *, table_ids: ArrayLike | None = None
    ) -> range:
        """Add many factors with the same number of arguments; return their indices.

        ``scopes``: integers (m, k), each row the variables of one factor.
        ``table``: the table of all of them (a ``Table`` or what ``Table.of`` takes); or
        ``table_ids``: integers (m,), indices from ``add_table``.
        """
        if (table is None) == (table_ids is None):
            raise InputError("expected either a table or table ids")
        rows = array_of(scopes, "scopes")
        first = self._factor_count
        check_scopes(rows, len(self._state_set_id), self._failure)
        if table_ids is None:
            shared = np.array([self._shared_table_id(table, rows)], dtype=np.int32)
            self._check_shapes(rows, shared)
            ids = np.repeat(shared, len(rows))
        else:
            listed = array_of(table_ids, "table ids")
            check_table_ids(listed, rows, self.pool, self._failure)
            self._check_shapes(rows, listed.astype(np.intp, copy=False))
            ids = listed.astype(np.int32)
        self._arity.add(np.full(len(rows), rows.shape[1], dtype=np.int32))
        self._scope.add(rows.astype(np.int32).ravel())
        self._table_id.add(ids)
        self._factor_count += len(rows)
        return range(first, first + len(rows))

    @short_traceback
    def build(self) -> FactorGraph:
        """The factor graph of everything added so far; you can add more to the builder later."""
        self._refuse_cycles()
        return FactorGraph(
            state_sets=tuple(self._state_sets),
            state_set_id=np.array(self._state_set_id, dtype=np.int32),
            names=tuple(self._names) or None,
            scope_ptr=pointers(self._arity.joined()),
            scope=self._scope.joined(),
            table_id=self._table_id.joined(),
            potentials=tuple(self.pool),
        )

    def _refuse_cycles(self) -> None:
        """Distributions whose parents make a cycle have a product that is no distribution."""
        try:
            TopologicalSorter(self._parents).prepare()
        except CycleError as error:
            cycle = " → ".join(map(self._name, error.args[1]))
            raise InputError(f"expected no cycle of parents, got {shortened(cycle)}") from None

    def _states(self, variables: Sequence[int]) -> list[States]:
        listed = [*self._state_sets]
        return [listed[self._state_set_id[variable]] for variable in variables]

    def _add_states(self, states: Sequence[str] | int) -> int:
        names = state_names(states)
        if names not in self._state_sets:
            self._state_sets[names] = len(self._sizes)
            self._sizes.append(len(names))
        return self._state_sets[names]

    def _add_names(self, count: int, names: Sequence[str] | None) -> None:
        """Name the next variables; indices become names once a variable has another name."""
        first = len(self._state_set_id)
        if count < 0 or first + count > _MAX_VARIABLES:
            raise InputError(f"expected 0 to {_MAX_VARIABLES} variables, got {first + count}")
        if names is None and not self._names:
            return
        known = self._names or {str(index): index for index in range(first)}
        new: dict[str, int] = {}
        for index in range(first, first + count):
            name = str(index) if names is None else names[index - first]
            if name in known or name in new:
                raise InputError(f"expected a new variable, got {name} again")
            new[name] = index
        self._names = known
        self._names.update(new)

    def _variables(self, scope: Sequence[str | int]) -> list[int]:
        if isinstance(scope, str):  # its letters may be names of variables
            expected = f"a list of variables such as [{scope!r}]"
            raise InputError(f"factor {self._factor_count}: expected {expected}, got {scope!r}")
        try:
            return [self._names[name] for name in scope]  # type: ignore[index]
        except (KeyError, TypeError):
            return [self._variable(name) for name in scope]

    def _variable(self, name: str | int) -> int:
        index = -1
        if isinstance(name, str):
            index = self._names.get(name, -1) if self._names else default_index(name)
        elif is_count(name):
            index = int(name)
        if not 0 <= index < len(self._state_set_id):
            hint = did_you_mean(name, self._names or ()) if isinstance(name, str) else ""
            came = f"{quoted(name)}{hint}"
            raise InputError(f"factor {self._factor_count}: expected a variable, got {came}")
        return index

    def _name(self, variable: int) -> str:
        return next(islice(self._names, variable, None)) if self._names else str(variable)

    def _table_id_of(self, values: object, shape: tuple[int, ...]) -> int:
        """The index of a table given as values; values seen before are only looked up."""
        if is_potential(values):
            if values.shape != shape:
                raise InputError(f"expected a table of shape {shape}, got {values.shape}")
            return self.pool.add(values)
        key = lookup_key(values, shape)
        table_id = self._table_ids_by_values.get(key)
        if table_id is None:
            table_id = self.pool.add(Table.of(values, shape))
            if key is not None:
                self._table_ids_by_values[key] = table_id
        return table_id

    def _shared_table_id(self, table: object, rows: NDArray[Any]) -> int:
        if len(rows) == 0:
            return 0  # the table of no factor
        shape = tuple([self._sizes[self._state_set_id[variable]] for variable in rows[0].tolist()])
        try:
            return self._table_id_of(table, shape)
        except InputError as error:
            raise self._failure(0, str(error)) from None

    def _check_shapes(self, rows: NDArray[Any], table_ids: NDArray[Any]) -> None:
        """Separate from ``add_factors``: so no view pins the growing arrays of this builder."""
        check_shapes(
            rows,
            table_ids,
            self.pool,
            np.array(self._sizes, dtype=np.int32),
            np.frombuffer(self._state_set_id, dtype=np.int32),
            self._failure,
        )

    def _failure(self, row: int, problem: str) -> InputError:
        return InputError(f"factor {self._factor_count + row}: {problem}")


def _listed_family(names: Sequence[str]) -> str:
    *parents, child = names
    return f"{child} given {', '.join(parents)}" if parents else child


def _listed(scope: Sequence[str | int]) -> str:
    return ", ".join(map(str, scope))

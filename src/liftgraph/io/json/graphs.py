"""Factor graphs from and to their documents."""

from __future__ import annotations

from itertools import pairwise

from liftgraph.errors import InputError
from liftgraph.io.allowance import Allowance
from liftgraph.io.json.documents import FactorEntry, GraphDocument, VariableEntry
from liftgraph.io.json.tables import potential_entry, potentials_of
from liftgraph.io.json.text import located, place
from liftgraph.io.spelling import Spelling
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph


def graph_of(document: GraphDocument, allowance: Allowance) -> FactorGraph:
    """The factor graph that a document describes."""
    builder = FactorGraphBuilder()
    for index, variable in enumerate(document.variables):
        try:
            builder.add_variable(variable.name, variable.states)
        except InputError as error:
            raise located(error, f"$.variables[{index}]") from None
    tables = potentials_of(document.tables, "$.tables", allowance)
    for index, factor in enumerate(document.factors):
        try:
            if not 0 <= factor.table < len(tables):
                raise InputError(f"expected a table below {len(tables)}, got {factor.table}")
            builder.add_factor(factor.scope, tables[factor.table])
        except InputError as error:
            raise located(error, f"$.factors[{index}]") from None
    with place("$.evidence"):
        return builder.build().given(document.evidence)


def document_of_graph(graph: FactorGraph, spell: Spelling) -> GraphDocument:
    """The document of a factor graph."""
    names = [*graph.variables]
    scope = [names[variable] for variable in graph.scope.tolist()]
    bounds = pairwise(graph.scope_ptr.tolist())
    return GraphDocument(
        GraphDocument.TITLE,
        GraphDocument.VERSION,
        [VariableEntry(name, list(graph.states(index))) for index, name in enumerate(names)],
        [potential_entry(potential, spell) for potential in graph.potentials],
        [
            FactorEntry(scope[start:end], table_id)
            for (start, end), table_id in zip(bounds, graph.table_id.tolist(), strict=True)
        ],
        {names[variable]: graph.states(variable)[s] for variable, s in graph.evidence.items()},
    )

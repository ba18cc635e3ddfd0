"""The operators of lifted variable elimination.

``protocol.py`` says what an operator is: it has candidates, a cost, what it does, a name, and a
reason where it does not apply. There are two: ``sum_out.py`` sums a PRV out of all terms that have
it, ``count.py`` counts logvars of one term. They use ``conversion.py``, which turns individuals
into a histogram, and the plain functions of ``algebra.py``: multiply, fold, merge, rename, repeat.
``costs.py`` adds up the entries they read. ``register_operator`` adds another one.
"""

from liftgraph.inference.lifted.operators.algebra import ALIGN
from liftgraph.inference.lifted.operators.count import Count
from liftgraph.inference.lifted.operators.protocol import Operator
from liftgraph.inference.lifted.operators.sum_out import SumOut

OPERATORS: list[Operator] = [Count(), SumOut()]  # at equal cost the first wins


def register_operator(operator: Operator) -> None:
    """Let lifted elimination choose this operator, too, where it is the cheapest."""
    OPERATORS.append(operator)


__all__ = ["ALIGN", "OPERATORS", "Operator", "register_operator"]

"""How many bytes the objects of an answer take: distributions, names, assignments, weights."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from liftgraph.inference.tensor.operation_memory import (
    CACHED_LOGARITHMS,
    FLOAT_BYTES,
    LOGARITHM_BYTES,
    Numbers,
    digit_bytes,
)
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.variables import Variables

DISTRIBUTION_BYTES = 1300  # the objects around the distribution of a variable, twice
STATE_BYTES = 300  # a variable in an assignment: its entries in dictionaries, its state
FACTOR_BYTES = 400  # the potential that is looked up for a factor
ARGUMENT_BYTES = 56  # an argument of such a factor
_INDEX_BYTES = 24  # which shard a variable belongs to, in two orders
_STRING_BYTES = 88  # a string without its characters, and a pointer to it
_ENTRY_BYTES = 130  # an entry of a set or dictionary while that grows
_FRACTION_BYTES = 130  # a fraction without its digits, and pointers to it
_WEIGHT_COPIES = 9  # of the digits of a weight: powers, products, and what divides them


def distribution_bytes(entries: int, numbers: Numbers) -> int:
    """Bytes that turning weights into a distribution takes, with the distribution."""
    if numbers.kind == "integers":
        return (3 * numbers.width + _FRACTION_BYTES) * entries
    return (6 if numbers.kind == "plain" else 14) * FLOAT_BYTES * entries


def weight_bytes(powers: Iterable[tuple[Fraction, int]], further_bits: int = 0) -> int:
    """Bytes of a product of powers as a fraction; ``further_bits``: of further factors."""
    bits = further_bits
    for value, times in powers:
        bits += times * (value.numerator.bit_length() + value.denominator.bit_length())
    return _WEIGHT_COPIES * digit_bytes(bits)


def product_logarithm_bytes(powers: Iterable[tuple[Fraction, int]]) -> int:
    """Bytes of the logarithms that the logarithm of a product of powers is a sum of."""
    values = [value for value, _ in powers]
    return logarithms_bytes(len({v.numerator for v in values} | {v.denominator for v in values}))


def logarithms_bytes(count: int) -> int:
    """Bytes of logarithms of this many integers, which are kept for later."""
    return LOGARITHM_BYTES * min(count, CACHED_LOGARITHMS)


def listing_bytes(variables: Variables) -> int:
    """Bytes that listing all variables of a lifted model by shard, and their names, takes."""
    prvs = range(len(variables.prvs))
    by_shard = max([_substitution_bytes(variables, prv) for prv in prvs], default=0)
    return _INDEX_BYTES * variables.count + max(by_shard, names_bytes(variables))


def _substitution_bytes(variables: Variables, prv: int) -> int:
    """Bytes of the substitutions of a PRV's logvars, and of sorting them.

    Substitutions are listed logvar by logvar, before those that constraints exclude are dropped.
    """
    logvars, size = variables.prvs[prv].logvars, variables.prvs[prv].size
    if not logvars or not size:
        return 0
    listed = size if len(logvars) == 1 else _substitutions_listed(variables, prv)
    return (
        FLOAT_BYTES * (2 * len(logvars) + 1) * listed + FLOAT_BYTES * (3 * len(logvars) + 8) * size
    )


def _substitutions_listed(variables: Variables, prv: int) -> int:
    """How many substitutions exist at a time while those of a PRV are listed, at most."""
    product = 1
    for size in variables.pattern(prv).sizes:
        product *= size
    return product


def names_bytes(variables: Variables) -> int:
    """Bytes of the names of all variables, where they are not those of a given graph."""
    if variables.origin is not None:
        unnamed = variables.origin.names is None
        return (_STRING_BYTES + 16) * variables.count if unnamed else 0
    total = working = 0
    for prv in variables.prvs:
        domains = [logvar.domain for logvar in prv.logvars]
        longest = _text_bytes(prv.name) + sum(map(_longest_name_bytes, domains))
        total += (_STRING_BYTES + longest) * prv.size
        working = max(working, _STRING_BYTES * len(domains) * prv.size + 48 * prv.size)
    return total + max(working, _ENTRY_BYTES * variables.count)


def _longest_name_bytes(domain: Domain) -> int:
    """Bytes of the longest name of an individual, after a dot."""
    if domain.individuals is None:
        return 1 + len(str(domain.size))
    longest = max(domain.individuals, key=len)
    return 1 + len(longest) * (1 if all(map(str.isascii, domain.individuals)) else 4)


def _text_bytes(text: str) -> int:
    return len(text) * (1 if text.isascii() else 4)

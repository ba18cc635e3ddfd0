"""LaTeX of models and their parts, as papers on lifted inference write them.

Names are set in italics, with what LaTeX would take for a command escaped; tables need the package
booktabs and models amsmath.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import singledispatch
from itertools import islice

from liftgraph.display import format_count
from liftgraph.errors import InputError, printable, quoted
from liftgraph.exact import short_numeral
from liftgraph.model.ground.conditional import Conditional
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import CRV, PRV, Atom, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.tabular import (
    SHOWN,
    Function,
    Listed,
    Repeated,
    Tabular,
    Tabulated,
    Words,
    cell_text,
)

_ESCAPED = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}

_BRACKETS = {"⟨": r"\langle ", "⟩": r" \rangle", "{": r"\{", "}": r"\}"}


@singledispatch
def latex(described: object) -> str:
    r"""A model or a part of one in LaTeX.

    Tables, conditional distributions, entries, buckets and messages are a ``tabular`` (package
    booktabs). A parametric factor graph is an ``align*`` (package amsmath). Domains, logvars, PRVs,
    counting variables and parfactors are formulas without dollars.

    >>> from liftgraph import LogVar, parfactor, prv
    >>> P = LogVar("P", ["alice", "bob"])
    >>> print(latex(parfactor([prv("Sick", P), prv("Epid")], [3, 1, 1, 5])))
    \phi(\mathit{Sick}(P), \mathit{Epid})
    >>> print(latex(P.domain))
    \mathrm{dom}(P) = \{\mathit{alice}, \mathit{bob}\}
    """
    raise InputError(
        "expected a parametric factor graph, a part of one, a table, a conditional distribution,"
        " buckets or messages,"
        f" got {quoted(described)}"
    )


def escaped(text: str) -> str:
    r"""Text with what LaTeX would take for commands escaped.

    >>> print(escaped("50% of x_1"))
    50\% of x\_1
    """
    return "".join(_ESCAPED.get(letter, letter) for letter in text)


def name_latex(name: str) -> str:
    r"""A name in a formula: one letter with digits is indexed, words are set as words.

    >>> print(name_latex("Sick.alice"), name_latex("R12"), name_latex("a-b"), name_latex("φ1"))
    \mathit{Sick.alice} R_{12} \textit{a-b} \phi_{1}
    """
    if indexed := re.fullmatch(r"([A-Za-zφ])(\d*)(≻?)", name):
        letter, index, ordered = indexed.groups()
        below = f"_{{{index}}}" if index else ""
        return letter.replace("φ", r"\phi") + below + (r"^{\succ}" if ordered else "")
    if re.fullmatch(r"[0-9]+", name):
        return name
    style = "mathit" if re.fullmatch(r"[A-Za-z0-9._]+", name) else "textit"
    return f"\\{style}{{{escaped(printable(name))}}}"  # an empty line would end the formula


def number_latex(text: str) -> str:
    r"""A numeral in a formula.

    >>> print(number_latex("3E-9"), number_latex("≈1.5e+84"), number_latex("1,000"))
    3 \cdot 10^{-9} \approx 1.5 \cdot 10^{84} 1{,}000
    """
    text = re.sub(r"[eE]\+?(-?)0*(\d+)$", r" \\cdot 10^{\1\2}", text)
    return text.replace("≈", r"\approx ").replace(",", "{,}")


def listed_latex(parts: Iterable[object]) -> str:
    """Parts of a formula, separated by commas."""
    return ", ".join(map(math_latex, parts))


def math_latex(part: object) -> str:
    """A part of a formula: a name, a number, a histogram, or what ``latex`` knows."""
    if isinstance(part, Words):
        return rf"\text{{{escaped(part)}}}"
    if isinstance(part, str):
        return name_latex(part)
    if isinstance(part, Fraction):
        return number_latex(short_numeral(part))
    if isinstance(part, int | float):
        return number_latex(str(part))
    return latex(part)


@latex.register
def _(function: Function) -> str:
    shown = str(function) != function.name  # functions of many arguments are named only
    arguments = f"({listed_latex(function.arguments)})" if shown else ""
    return name_latex(function.name) + arguments


@latex.register
def _(listed: Listed) -> str:
    left, right = (_BRACKETS.get(b, b) for b in (listed.brackets[:1], listed.brackets[1:]))
    dots = rf", \ldots\ (\text{{{listed.more:,} more}})" if listed.more else ""
    return f"{left}{listed_latex(listed.first)}{dots}{right}"


@latex.register
def _(repeated: Repeated) -> str:
    times = number_latex(f"{repeated.times:,}") + r" \times " if repeated.times > 1 else ""
    return times + math_latex(repeated.part)


@latex.register
def _(tabulated: Tabulated) -> str:
    return "\n\n\\bigskip\n\n".join(map(latex, tabulated.tabulars))


@latex.register
def _(tabular: Tabular) -> str:
    lines = [rf"\begin{{tabular}}{{{'c' * len(tabular.headings)}}}", r"\toprule"]
    lines.append(_row(f"${math_latex(heading)}$" for heading in tabular.headings))
    lines.append(r"\midrule")
    lines += [_row(map(_cell, row)) for row in tabular.rows]
    if more := tabular.row_count - len(tabular.rows):
        width = len(tabular.headings)
        lines.append(rf"\multicolumn{{{width}}}{{c}}{{\ldots\ and {more:,} more}} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(cell: object) -> str:
    """States are words in a table, and everything else is a formula."""
    return escaped(printable(cell)) if isinstance(cell, str) else f"${math_latex(cell)}$"


@latex.register
def _(table: Table) -> str:
    return latex(table.entries())


@latex.register
def _(conditional: Conditional) -> str:
    return latex(conditional.entries)


@latex.register
def _(domain: Domain) -> str:
    if domain.is_open:
        return rf"\mathrm{{dom}}({name_latex(domain.name)})"
    few, size = [*map(name_latex, domain.shown)], ""
    if domain.size > len(few):
        few.insert(1, r"\ldots")
        size = rf",\ |\mathrm{{dom}}({name_latex(domain.name)})| = "
        size += number_latex(format_count(domain.size))
    return rf"\mathrm{{dom}}({name_latex(domain.name)}) = \{{{', '.join(few)}\}}{size}"


@latex.register
def _(logvar: LogVar) -> str:
    return name_latex(logvar.name)


@latex.register
def _(prv: PRV) -> str:
    return _applied(prv.name, prv.logvars) + _where(prv.constraints)


@latex.register
def _(atom: Atom) -> str:
    return _applied(atom.prv.name, atom.logvars)


@latex.register
def _(crv: CRV) -> str:
    return rf"\#_{{{listed_latex(crv.counted)}}}[{latex(crv.atom)}]"


@latex.register
def _(constraint: Different) -> str:
    return rf"{latex(constraint.first)} \neq {latex(constraint.second)}"


@latex.register
def _(constraint: Unordered) -> str:
    return " < ".join(map(latex, constraint.logvars))


@latex.register
def _(parfactor: Parfactor) -> str:
    return _parfactor("φ", parfactor)


def _parfactor(name: str, parfactor: Parfactor) -> str:
    arguments = f"({listed_latex(parfactor.arguments)})" if parfactor.arguments else ""
    return f"{name_latex(name)}{arguments}{_where(parfactor.constraints)}"


def _applied(name: str, logvars: Sequence[LogVar]) -> str:
    return f"{name_latex(name)}({listed_latex(logvars)})" if logvars else name_latex(name)


def _where(constraints: Sequence[Constraint]) -> str:
    return f"_{{|{listed_latex(constraints)}}}" if constraints else ""


@latex.register
def _(model: ParfactorGraph) -> str:
    lines = _first(latex(domain).replace(" = ", " &= ", 1) for domain in model.domains)
    lines += _first(map(_range, model.prvs))
    lines += _semantics(model.parfactors)
    if evidence := _first(_observed(model), r"\ldots"):
        lines.append(rf"\boldsymbol{{E}} &= \{{{', '.join(evidence)}\}}")
    return "\n".join([r"\begin{align*}", " \\\\\n".join(lines), r"\end{align*}"])


def _first(parts: Iterable[str], dots: str = r"&\mathrel{\phantom{=}} \ldots") -> list[str]:
    """The first parts, and dots if there are more."""
    first = [*islice(parts, SHOWN + 1)]
    return [*first[:SHOWN], dots] if len(first) > SHOWN else first


def _range(prv: PRV) -> str:
    return rf"\mathrm{{range}}({latex(prv)}) &= \{{{_states(prv.states)}\}}"


def _states(states: Sequence[str]) -> str:
    few = [_state(state) for state in states[:6]]
    return ", ".join([*few, *([r"\ldots"] * (len(states) > 6))])


def _state(state: str) -> str:
    return rf"\textrm{{{escaped(printable(state))}}}"


def _semantics(parfactors: Sequence[Parfactor]) -> list[str]:
    """The distribution as a normalised product, a line for each parfactor."""
    numbered = enumerate(parfactors, start=1)
    factors = _first((_product(p.logvars) + _parfactor(f"φ{n}", p) for n, p in numbered), r"\ldots")
    starts = [r"P_G &= \frac{1}{Z}", *[r"&\quad \cdot"] * (len(factors) - 1)]
    return [f"{start} {factor}" for start, factor in zip(starts, factors, strict=False)]


def _product(logvars: Sequence[LogVar]) -> str:
    return rf"\prod_{{{listed_latex(logvars)}}} " if logvars else ""


def _observed(model: ParfactorGraph) -> Iterable[str]:
    """What was observed: of all that a PRV stands for, or of single variables."""
    for prv in model.prvs:
        if prv.observed is not None:
            yield f"{latex(prv)} = {_state(prv.states[prv.observed])}"
    for place, state in islice(model.evidence.items(), SHOWN + 1):
        yield f"{name_latex(model.name(place))} = {_state(model.prvs[place[0]].states[state])}"
    for place, table in islice(model.evidence.likelihoods.items(), SHOWN + 1):
        numbers = ", ".join(map(cell_text, table.as_given(table.integers.flat)))
        yield rf"\lambda({name_latex(model.name(place))}) = ({numbers})"

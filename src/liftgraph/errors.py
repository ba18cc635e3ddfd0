"""Every error liftgraph raises on purpose, in one small family."""

from __future__ import annotations


class LiftgraphError(Exception):
    """The base of all errors raised by liftgraph."""


class InputError(LiftgraphError, ValueError):
    """The input makes no sense: a malformed file, an unknown name, a table that does not fit."""


class ParseError(InputError):
    """A file cannot be read. The message says where (line and column, if known), what was
    expected and what came.

    >>> str(ParseError("model.uai", 14, "factor 3 needs 8 values, got 7", column=5))
    'model.uai:14:5: factor 3 needs 8 values, got 7'
    """

    def __init__(
        self, path: str, line: int | None, problem: str, column: int | None = None
    ) -> None:
        super().__init__(path, line, problem, column)
        self.path = path
        self.line = line
        self.column = column
        self.problem = problem

    def __str__(self) -> str:
        place = [str(part) for part in (self.path, self.line, self.column) if part is not None]
        return f"{':'.join(place)}: {self.problem}"


class ComputationError(LiftgraphError):
    """The question makes sense, but it cannot be answered."""


class ZeroWeightError(ComputationError):
    """Every assignment that agrees with the evidence has weight zero, so nothing is possible."""


class MemoryLimitError(ComputationError):
    """The plan needs more memory than is allowed. Raised before anything is allocated."""

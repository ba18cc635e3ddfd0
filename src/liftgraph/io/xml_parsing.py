"""What readers of XML files share: the parser of the standard library, which knows its position.

Files are not trusted: declared entities are refused, for a few lines of them can expand to
gigabytes, and attributes that a DTD declares may be few and short.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from liftgraph.errors import ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import error_at

BYTE_COST = 20  # of a byte, its copies in the parser, and marks of the numbers
_ATTRIBUTE_COST = 500
_MOST_DECLARED = 1000
_PIECE_COST = 80
_SPAN_COST = 300
_TOKEN_COST = 8  # of each byte in spans: the bounds of a token on every second byte
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]+(?=<\?xml\b)")  # the declaration


class XMLHandler:
    """Goes through a file; subclasses say what ``start``, ``text`` and ``end`` do.

    ``open``: the tags of open elements. ``pieces``: the text in the last one so far, if the
    subclass keeps it; its first letter is at ``word``. ``spans``: of numbers, which are read later.
    """

    def __init__(self, data: bytes, allowance: Allowance) -> None:
        self.data, self.allowance = data, allowance
        self.open = ["the file"]
        self.pieces: list[str] = []
        self.word = -1
        self.spans: list[tuple[int, int]] = []
        self.declared = 0  # letters of declared attributes
        before = _BEFORE.match(data)  # many editors leave white space there, XML does not allow it
        self.first = before.end() if before else 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self._declared_entity
        self.parser.AttlistDeclHandler = self._declared_attribute
        self.parser.SkippedEntityHandler = self._skipped_entity

    @property
    def place(self) -> int:
        """The byte that the parser has reached."""
        return self.first + self.parser.CurrentByteIndex

    def error(self, place: int, problem: str) -> ParseError:
        """The error at a byte of the file."""
        return error_at(self.allowance.path, self.data, place, problem)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        raise NotImplementedError

    def text(self, piece: str) -> None:
        """Some text of the last open element."""
        raise NotImplementedError

    def end(self, tag: str) -> None:
        """An element ends."""
        raise NotImplementedError

    def keep(self, piece: str) -> None:
        """Keep a piece of text that names something."""
        if self.word < 0 and not piece.isspace():
            self.word = self.place + len(piece) - len(piece.lstrip())
        self.allowance.take(_PIECE_COST + 4 * len(piece), "the names of variables and states")
        self.pieces.append(piece)

    def add_numbers(self, piece: str) -> None:
        """Note a span of numbers; they must stand in the file as they are."""
        if piece.isspace():
            return
        raw, place = piece.encode(), self.place
        if not self.data.startswith(raw, place):
            raise self.error(place, f"expected plain numbers in UTF-8, got {shortened(piece)}")
        size = _SPAN_COST + _TOKEN_COST * len(raw)
        self.allowance.take(size, "the numbers of its tables")
        self.spans.append((place, place + len(raw)))

    def unexpected(self, tag: str, allowed: tuple[str, ...]) -> ParseError:
        """The error for an element that is not among those that may come here."""
        expected = " or ".join(allowed) or "no element"
        problem = f"expected {expected} in {self.open[-1]}, got {shortened(tag)}"
        return self.error(self.place, problem)

    def _declared_entity(self, name: str, *_: object) -> None:
        raise self.error(self.place, f"expected no declared entities, got {shortened(name)}")

    def _declared_attribute(
        self, _: str, name: str, kind: str, default: str | None, *__: int
    ) -> None:
        """Defaults are copied to each element, so a file may declare a few short ones only."""
        self.declared += len(name) + len(default or "")
        if self.declared > _MOST_DECLARED:
            raise self.error(self.place, "expected few short attributes in a DTD, got more")

    def _skipped_entity(self, name: str, *_: object) -> None:
        raise self.error(self.place, f"expected a known entity, got &{shortened(name)};")


def parse(handler: XMLHandler) -> None:
    """Go through the whole file."""
    attributes, path = handler.data.count(b"="), handler.allowance.path
    skipped = handler.data[: handler.first]
    what = f"its elements have {attributes:,} attributes"
    handler.allowance.take(_ATTRIBUTE_COST * attributes, what)
    try:
        handler.parser.Parse(memoryview(handler.data)[handler.first :], True)
    except expat.ExpatError as error:
        problem = f"expected XML, got {expat.ErrorString(error.code)}"
        column = error.offset + 1
        if error.lineno == 1:
            column += len(skipped) - skipped.rfind(b"\n") - 1
        line = error.lineno + skipped.count(b"\n")
        raise ParseError(path, line, problem, column) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ParseError):
            raise
        problem = f"expected XML in a known encoding, got {shortened(str(error))}"
        raise ParseError(path, 1, problem) from None

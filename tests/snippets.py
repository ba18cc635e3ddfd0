"""Runs what pages of documentation show, and compares what it prints with what they say."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from liftgraph.cli import main
from liftgraph.cli.parser import make_parser, one_event_each

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$\n?\s*", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """A block of code on a page, where it begins, and what the page says it prints, if it does."""

    language: str
    code: str
    line: int
    shown: str | None


def snippets(page: str) -> Iterator[Snippet]:
    """The fenced blocks of a page; a block of text right after another one is what that prints."""
    blocks = list(_FENCE.finditer(page))
    following = {block.start(): block for block in blocks}
    for block in blocks:
        after = following.get(block.end())
        shown = after[2] if after and after[1] == "text" else None
        yield Snippet(block[1], block[2], page.count("\n", 0, block.start()) + 2, shown)


def run_page(page: str, name: str) -> int:
    """Run a page as one program; the number of its snippets that were run or checked."""
    names: dict[str, object] = {"__name__": "__main__"}
    ran = 0
    for snippet in snippets(page):
        place = f"{name}:{snippet.line}"
        if snippet.language == "python":
            printed = run_python(snippet, names, place)
        elif snippet.language == "sh" and snippet.shown is not None:
            printed = run_commands(snippet.code, place)
        elif snippet.language == "sh":
            check_commands(snippet.code, place)
            continue
        else:
            continue
        assert snippet.shown in (None, printed), f"{place} prints {printed}"
        ran += 1
    return ran


def run_python(snippet: Snippet, names: dict[str, object], place: str) -> str:
    """What a snippet prints; tracebacks know its page and line."""
    code = compile("\n" * (snippet.line - 1) + snippet.code, place.rsplit(":", 1)[0], "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def run_commands(code: str, place: str) -> str:
    """What commands print, on either stream; only ``liftgraph`` can be run here."""
    printed = io.StringIO()
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        assert words[:1] in ([], ["liftgraph"]), f"{place}: {line} cannot be run here"
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main(words[1:]) if words else None
    return printed.getvalue()


def check_commands(code: str, place: str) -> None:
    """That commands exist and understand their options, without running them."""
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["liftgraph"]:
            continue
        usage = any(word.startswith("[") or "..." in word for word in words)
        spelt = [words[1], "--help"] if usage else one_event_each(words[1:])
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                make_parser().parse_args(spelt)
        except SystemExit as stopped:
            assert stopped.code == 0, f"{place}: {line} is not understood"

"""Runs the code on pages of the documentation, and compares what it prints with what they say."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from unittest import mock

from liftgraph.cli import main
from liftgraph.cli.parser import make_parser, one_event_each
from liftgraph.errors import InputError

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$\n?\s*", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """A block of code on a page, the line where it begins, and the output that the page shows, if
    any."""

    language: str
    code: str
    line: int
    shown: str | None


def snippets(page: str) -> Iterator[Snippet]:
    """The fenced blocks of a page; a block of text right after another one is its output."""
    blocks = list(_FENCE.finditer(page))
    following = {block.start(): block for block in blocks}
    for block in blocks:
        next_block = following.get(block.end())
        shown = next_block[2] if next_block and next_block[1] == "text" else None
        yield Snippet(block[1], block[2], page.count("\n", 0, block.start()) + 2, shown)


def run_page(page: str, name: str) -> int:
    """Run a page as one program; return how many of its snippets were run."""
    names: dict[str, object] = {"__name__": "__main__"}
    run_count = 0
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
        run_count += 1
    return run_count


def run_python(snippet: Snippet, names: dict[str, object], place: str) -> str:
    """What a snippet prints; tracebacks name its page and line."""
    code = compile("\n" * (snippet.line - 1) + snippet.code, place.rsplit(":", 1)[0], "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def run_commands(code: str, place: str) -> str:
    """What commands print, on either stream; only ``liftgraph`` can be run here."""
    printed = io.StringIO()
    for line in code.splitlines():
        words, source = _redirected(shlex.split(line, comments=True))
        assert words[:1] in ([], ["liftgraph"]), f"{place}: {line} cannot be run here"
        with (
            open(source) as stream,
            mock.patch.object(sys, "stdin", stream),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            main(words[1:]) if words else None
    return printed.getvalue()


def _redirected(words: list[str]) -> tuple[list[str], str]:
    """The words of a command, and the file behind ``<`` at its end, which it reads."""
    return (words[:-2], words[-1]) if words[-2:-1] == ["<"] else (words, os.devnull)


def check_commands(code: str, place: str) -> None:
    """Check that commands exist and accept their options, without running them."""
    for line in code.replace("\\\n", "").splitlines():
        typed = shlex.split(line, comments=True)
        words = list(takewhile(lambda word: word not in ("<", ">", "|"), typed))
        if words[:1] != ["liftgraph"]:
            continue
        usage = any(word.startswith("[") or "..." in word for word in words)
        arguments = [words[1], "--help"] if usage else one_event_each(words[1:])
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                make_parser().parse_args(arguments)
        except SystemExit as stopped:  # after --help
            assert stopped.code == 0, f"{place}: {line} is not accepted"
        except InputError as error:
            raise AssertionError(f"{place}: {line} is not accepted: {error}") from None

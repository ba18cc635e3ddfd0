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
from pathlib import Path
from unittest import mock

from liftgraph.cli import main
from liftgraph.cli.parser import make_parser, one_event_each
from liftgraph.errors import InputError

_FENCE = re.compile(
    r"^(?:<!-- ([^\n]*) -->\n)?```(\w+)\n(.*?)^```$\n?\s*", flags=re.DOTALL | re.MULTILINE
)
SLOW = "takes a minute"  # the condition of commands that only patient tests run


@dataclass(frozen=True)
class Snippet:
    """A block of code on a page, the line where it begins, and the output that the page shows, if
    any.

    ``condition``: what it needs that a folder with liftgraph does not have, or how long it takes.
    """

    language: str
    code: str
    line: int
    shown: str | None
    condition: str = ""


def snippets(page: str) -> Iterator[Snippet]:
    """The fenced blocks of a page; a block of text right after another one is its output."""
    blocks = list(_FENCE.finditer(page))
    following = {block.start(): block for block in blocks}
    for block in blocks:
        next_block = following.get(block.end())
        shown = next_block[3] if next_block and next_block[2] == "text" else None
        line = page.count("\n", 0, block.start(2)) + 2
        yield Snippet(block[2], block[3], line, shown, block[1] or "")


def run_page(page: str, name: str, patient: bool = False) -> int:
    """Run a page as one program; return how many of its snippets were run.

    Commands with a condition are only checked, not run; patient tests run those that take long.
    """
    names: dict[str, object] = {"__name__": "__main__"}
    run_count = 0
    for snippet in snippets(page):
        place = f"{name}:{snippet.line}"
        if snippet.language == "python":
            printed = run_python(snippet, names, place)
        elif snippet.language == "sh" and snippet.condition in ("", SLOW * patient):
            printed = run_commands(snippet.code, place, fails=snippet.shown is not None)
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


def run_commands(code: str, place: str, fails: bool = False) -> str:
    """What commands print, on either stream, run in this folder; only ``liftgraph`` can be run
    here, and ``cat`` can write a file. ``fails``: they may, if that is what the page shows."""
    printed = io.StringIO()
    for line, text in _lines(code):
        words = shlex.split(line, comments=True)
        if words[:2] == ["cat", ">"] and text is not None:
            Path(words[2]).write_text(text)
            continue
        words, source = _redirected(words)
        assert words[:1] in ([], ["liftgraph"]), f"{place}: {line} cannot be run here"
        with (
            open(source) as stream,
            mock.patch.object(sys, "stdin", stream),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            status = main(words[1:]) if words else 0
        assert fails or status == 0, f"{place}: {line} fails: {printed.getvalue()}"
    return printed.getvalue()


def _lines(code: str) -> Iterator[tuple[str, str | None]]:
    """The commands of a block, and the text that follows one that ends with ``<<END``."""
    lines = iter(code.splitlines())
    for line in lines:
        if line.endswith(" <<END"):
            text = takewhile(lambda following: following != "END", lines)
            yield line, "".join(f"{following}\n" for following in text)
        else:
            yield line, None


def _redirected(words: list[str]) -> tuple[list[str], str]:
    """The words of a command, and the file behind ``<`` at its end, which it reads."""
    return (words[:-2], words[-1]) if words[-2:-1] == ["<"] else (words, os.devnull)


def check_commands(code: str, place: str) -> None:
    """Check that commands exist and accept their options, without running them."""
    for line, _ in _lines(code.replace("\\\n", "")):
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

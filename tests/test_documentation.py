"""Pages of the documentation show what really happens, and notebooks are stored without outputs."""

from __future__ import annotations

import json
import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

import liftgraph as lg
from tests.snippets import SLOW, Snippet, run_page, snippets

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))


def relative(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_a_page_prints_what_it_says_in_an_empty_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = path.read_text()
    run_page(page, relative(path))
    # No block was overlooked, for example because it is indented.
    languages = Counter(snippet.language for snippet in snippets(page))
    for language in ("python", "sh"):
        assert page.count(f"```{language}\n") == languages[language]


def conditional_blocks() -> list[tuple[Path, Snippet]]:
    """Commands that are not run wherever the library is installed."""
    return [
        (path, snippet)
        for path in [ROOT / "README.md", *PAGES]
        for snippet in snippets(path.read_text())
        if snippet.condition and snippet.language == "sh"
    ]


def test_few_commands_need_more_than_an_empty_folder() -> None:
    conditions = Counter(snippet.condition for _, snippet in conditional_blocks())
    assert conditions == {
        "needs a checkout": 3,
        "needs a shell of yours": 1,
        "needs a graphics card": 2,
        "needs Java": 1,
        "needs a cluster": 1,
        "needs a day": 1,
        SLOW: 2,
    }


@pytest.mark.long
@pytest.mark.parametrize(
    "path",
    sorted({path for path, block in conditional_blocks() if block.condition == SLOW}),
    ids=relative,
)
def test_commands_that_take_long_run_in_an_empty_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(path.read_text(), relative(path), patient=True)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=relative)
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text())
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    for cell in notebook["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["execution_count"], cell["outputs"]) == (None, [])


def test_problems_of_a_site_are_found(tmp_path: Path) -> None:
    check = runpy.run_path(str(DOCS / "check_site.py"))["main"]
    page = tmp_path / "page.html"
    other = tmp_path / "other.html"
    other.write_text("<title>Other</title><p id='here'>fine</p>")
    good = (
        '<title>Page</title><a href="other.html#here">link</a><a href="#top">up</a>'
        '<img src="https://example.org/x.svg"/><code>**kept**</code><i class="math">a ** b</i>'
    )
    page.write_text(good)
    assert check(str(tmp_path)) == 0
    for bad in (
        good.replace("Page", " "),
        good.replace("other.html#here", "nowhere.html"),
        good.replace("#here", "#nowhere"),
        good.replace("link", "**bold**"),
        good.replace("link", "{py:func}`x`"),
    ):
        page.write_text(bad)
        assert check(str(tmp_path)) == 1
    assert check(str(tmp_path / "missing")) == 1


def test_every_public_name_is_in_the_reference() -> None:
    reference = "\n".join(path.read_text() for path in (DOCS / "api").glob("*.md"))
    documented = re.findall(r"auto\w+:: liftgraph\.(\w+)(?:\(\))?$", reference, flags=re.MULTILINE)
    reached = ["experiments"]  # a module to import, not a name of the library
    assert sorted(documented) == sorted([*lg.__all__, *reached])


def test_what_a_snippet_prints_comes_right_after_it() -> None:
    page = (
        "# A\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\nB\n\n```text\n2\n```\n```sh\n```\n"
    )
    code, shown, text, shell = snippets(page)
    assert code == Snippet("python", "print(1)\n", 4, "1\n")
    assert (shown.shown, text.shown, shell.shown) == (None, None, None)


@pytest.mark.parametrize(
    "page",
    [
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
        "```sh\nliftgraph info example:epidemic\n```\n\n```text\nsomething else\n```\n",
        "```sh\nls\n```\n\n```text\nREADME.md\n```\n",
        "```sh\nliftgraph info nowhere.json\n```\n",
        "```sh\npip install liftgraph\n```\n",
        "<!-- needs a cluster -->\n```sh\nliftgraph nonsense\n```\n",
        "```sh\nliftgraph nonsense example:epidemic\n```\n",
        "```sh\nliftgraph info example:epidemic --nonsense\n```\n",
    ],
)
def test_pages_that_show_something_else_are_refused(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(AssertionError):
        run_page(page, "page.md")

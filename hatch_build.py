"""The README as the page of the package on PyPI, where no files are beside it.

Links to files of the repository lead to the address that pyproject.toml calls Repository. As long
as there is none, the paths stand in place of the links, and pictures are described.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_CODE_OR_LINK = re.compile(r"^```.*?^```$|(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)", re.M | re.S)


class ReadmeHook(MetadataHookInterface):
    """Makes the description of the package of README.md."""

    def update(self, metadata: dict[str, Any]) -> None:
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        text = without_relative_links(readme, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def without_relative_links(page: str, repository: str | None) -> str:
    """A page with links to files made absolute, or, without a repository, spelt out.

    >>> page = "See [the tutorial](docs/tutorial.md). ![A graph](docs/graph.svg)"
    >>> without_relative_links(page, "https://example.org/x")
    'See [the tutorial](https://example.org/x/blob/HEAD/docs/tutorial.md). ![A graph](https://example.org/x/raw/HEAD/docs/graph.svg)'
    >>> without_relative_links(page, None)
    'See the tutorial (`docs/tutorial.md`). *Picture: A graph*'
    """

    def replaced(match: re.Match[str]) -> str:
        sign, text, path = match.groups()
        if path is None:  # code
            return match[0]
        if repository is not None:
            return f"{sign}[{text}]({repository}/{'raw' if sign else 'blob'}/HEAD/{path})"
        return f"*Picture: {text}*" if sign else f"{text} (`{path}`)"

    return _CODE_OR_LINK.sub(replaced, page)

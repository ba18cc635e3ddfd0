"""Public names in the reference: links to them, and readable signatures.

Signatures name types by their modules (``liftgraph.model.ground.table.Table``), but pages and the
reference say ``liftgraph.Table``. Names that are not public, and those of other libraries, get no
link.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import liftgraph


def public_name(target: str) -> str:
    """The public name for a qualified or bare one."""
    return f"liftgraph.{target.rsplit('.', 1)[-1]}"


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.reference | nodes.TextElement | None:
    """A link to a public name; only the text for other names that exist."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    python = env.domains.python_domain
    if target.rsplit(".", 1)[-1] in liftgraph.__all__:
        return python.resolve_xref(
            env, node["refdoc"], app.builder, "obj", public_name(target), node, content
        )
    return None if target.startswith("liftgraph.") and not exists(target) else content


def exists(target: str) -> bool:
    """Whether this library has a qualified name, public or not."""
    module, _, name = target.rpartition(".")
    return find_spec(module) is not None and hasattr(import_module(module), name)


def plain_aliases(
    app: Sphinx,
    what: str,
    name: str,
    documented: object,
    options: object,
    signature: str | None,
    result: str | None,
) -> tuple[str, str | None] | None:
    """A signature in which type aliases are plain names."""
    if signature is None:
        return None
    return re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature), result


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-signature", plain_aliases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

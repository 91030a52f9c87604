"""The directive `terms`: a glossary that has the words explained on the screen, too.

A link to a term shows its meaning while the pointer is on it.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.std import Glossary

from dpviz.analysis.spec import CONTROLS
from dpviz.analysis.words import TERMS
from dpviz.widgets.controls.column import READOUT

PAGE = "reference/glossary"


def on_screen() -> dict[str, str]:
    """Return the meanings that the explorer shows, by term."""
    labels = {control.label: control.help for control in CONTROLS.values()}
    rows = {name: meaning for key, (name, meaning) in READOUT.items() if "{" not in meaning}
    return labels | rows | TERMS


class Terms(Glossary):
    """The lines are those of Sphinx's `glossary`; a term that they define is theirs."""

    def run(self) -> list[nodes.Node]:
        """Add the other terms of the screen."""
        self.options["sorted"] = None
        written = set(self.content)
        for term, meaning in on_screen().items():
            if term not in written:
                also = re.findall(r"^(\w+) \w$", term)  # "prior p" is found as "prior", too
                text = f"{meaning[0].upper()}{meaning[1:].rstrip('.')}."
                for line in ("", term, *also, f"   {text}"):
                    self.content.append(line, PAGE, 0)
        return super().run()


def meanings(app: Sphinx) -> dict[str, str]:
    """Return the meanings of the glossary by the anchors of their terms."""
    found = {}
    for item in app.env.get_doctree(PAGE).findall(nodes.definition_list_item):
        meaning = next(item.findall(nodes.definition)).astext().replace("\n", " ")
        found |= {each["ids"][0]: meaning for each in item.findall(nodes.term)}
    return found


def explain(app: Sphinx, tree: nodes.document, _page: str) -> None:
    """Give each link to a term its meaning as title."""
    for inline in tree.findall(nodes.inline):
        if "std-term" in inline["classes"] and isinstance(inline.parent, nodes.reference):
            link = inline.parent
            anchor = link.get("refid") or link["refuri"].partition("#")[2]
            link["reftitle"] = meanings(app)[anchor]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the titles of links."""
    app.add_directive("terms", Terms)
    app.connect("doctree-resolved", explain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

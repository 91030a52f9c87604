"""Each page as Markdown beside its HTML, and `llms.txt`, which lists the pages for programs."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.text import TextTranslator

CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[(.*?)\]\(.*?\)")
FIRST_PARAGRAPH = re.compile(r"(?<=\n\n)\w.*(?:\n\S.*)*")
ABOUT = "Differential privacy as a hypothesis test, in pictures, in a notebook"


class MarkdownTranslator(TextTranslator):
    """Sphinx's plain text with the marks of Markdown."""

    def end_state(self, wrap: bool = True, **options: Any) -> None:
        """Keep the lines of the source."""
        super().end_state(wrap=False, **options)

    def visit_autosummary_table(self, _node: nodes.Element) -> None:
        """Write what is inside."""

    depart_autosummary_table = visit_autosummary_table

    def depart_title(self, node: nodes.Element) -> None:
        """Write a heading."""
        title = "".join(text for _, text in self.states.pop())
        self.stateindent.pop()
        self.states[-1].append((0, ["#" * self.sectionlevel + " " + title, ""]))

    def visit_literal_block(self, node: nodes.Element) -> None:
        """Write code as a fenced block."""
        language = node.get("language", "python")
        self.new_state(0)
        self.add_text(f"```{language}\n{node.astext().rstrip()}\n```\n")
        self.end_state(wrap=False)
        raise nodes.SkipNode

    visit_doctest_block = visit_literal_block

    def visit_literal(self, node: nodes.Element) -> None:
        """Write code within a line."""
        self.add_text(f"`{node.astext()}`")
        raise nodes.SkipNode

    def visit_reference(self, node: nodes.Element) -> None:
        """Begin a link."""
        self.add_text("[")

    def depart_reference(self, node: nodes.Element) -> None:
        """End a link, which leads to the other page's Markdown."""
        target = node.get("refuri") or f"#{node['refid']}"
        if node.get("internal"):
            target = re.sub(r"\.html(?=#|$)", ".md", target)
        self.add_text(f"]({target})")

    def visit_math(self, node: nodes.math) -> None:
        """Write a formula within a line."""
        self.add_text(f"${node.astext()}$")
        raise nodes.SkipNode

    def visit_math_block(self, node: nodes.math_block) -> None:
        """Write a formula on lines of its own."""
        self.new_state(0)
        self.add_text(f"$$\n{node.astext()}\n$$\n")
        self.end_state(wrap=False)
        raise nodes.SkipNode

    def visit_desc_content(self, node: nodes.Element) -> None:
        """Write what describes an object without indentation, which would make it code."""
        self.new_state(0)
        self.add_text(self.nl)

    def visit_desc_signature(self, node: nodes.Element) -> None:
        """Write a signature as code."""
        self.new_state(0)
        self.add_text(f"`{node.astext()}`")
        self.end_state(wrap=False, end=None)
        raise nodes.SkipNode

    def depart_table(self, node: nodes.Element) -> None:
        """Write a table with pipes; one without head gets an empty one."""
        cells = [[" ".join(each.text.split()) for each in line] for line in self.table.lines]
        if not self.table.separator:
            cells.insert(0, [""] * len(cells[0]))
        cells.insert(1, ["---"] * len(cells[0]))
        self.add_text("\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n")
        del self.table
        self.end_state(wrap=False)


def write_page(
    app: Sphinx, name: str, _template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Write a page as Markdown, and say in its HTML where that is."""
    if tree is not None:
        translator = MarkdownTranslator(tree, app.builder)
        tree.walkabout(translator)
        file = Path(app.outdir, f"{name}.md")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(translator.body, encoding="utf-8")
        place = f"{name.rpartition('/')[2]}.md"
        context["metatags"] += f'<link rel="alternate" type="text/markdown" href="{place}">'


def listed(app: Sphinx, name: str, level: int) -> Iterator[str]:
    """Yield the line of a page and those of the pages below it, two levels deep."""
    title = app.env.titles[name].astext()
    text = CODE.sub("", Path(app.outdir, f"{name}.md").read_text("utf-8"))
    found = FIRST_PARAGRAPH.search(LINK.sub(r"\1", text))
    first = " ".join(found[0].split()).partition(". ")[0].rstrip(".:") if found else ""
    yield f"\n## {title}\n\n" if level == 1 else ""
    yield f"- [{title}]({name}.md)" + (f": {first}\n" if first else "\n")
    if level < 2:
        for below in app.env.toctree_includes.get(name, ()):
            yield from listed(app, below, level + 1)


def write_list(app: Sphinx, error: Exception | None) -> None:
    """Write `llms.txt`."""
    if error is None:
        parts = app.env.toctree_includes[app.config.root_doc]
        lines = "".join(line for part in parts for line in listed(app, part, 1))
        Path(app.outdir, "llms.txt").write_text(f"# dpviz\n\n> {ABOUT}\n{lines}", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what writes the files."""
    app.connect("html-page-context", write_page)
    app.connect("build-finished", write_list)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

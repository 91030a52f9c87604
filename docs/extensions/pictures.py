"""The directive `picture`: lines of Python, and what the last of them shows.

    ```{picture} region
    dpviz.widgets.RegionView(epsilon=1.0)
    ```

The lines run when the pages are built. Their last expression is a view or an explorer: its picture
follows the lines, for light and for dark pages, and below it the live one, when the reader opens
it. With the option `:live:` that is open from the start and there is no picture. `dpviz.mjs` draws
it; what that cannot draw is a saved page in a frame. A figure that stays as it is has neither.

The directive `thumbnails` shows the pictures of other pages, each a link to its place.
"""

import ast
import re
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import dpviz
from dpviz.analysis.svg import SvgPicture, page
from dpviz.pictures.lines import MODULE
from dpviz.widgets.explorer import Explorer
from dpviz.widgets.views.answer import AnswerView
from dpviz.widgets.views.fixed_results import FixedView
from extensions.dark import on_dark

FOLDER = "_shown"  # of the built pages
THEMES = ("light", "dark")
PICTURE_ALONE = "body > header, footer { display: none }"
DIRECTIVE = re.compile(r"^```\{picture\} (.+)\n:alt: (.+)$", re.MULTILINE)


def value_of(code: str) -> Any:
    """Run lines of Python; return the value of their last expression."""
    *before, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        raise TypeError(f"the last line must be an expression, got {ast.unparse(last)!r}")
    names: dict[str, Any] = {"dpviz": dpviz}
    exec(compile(ast.Module(before, []), "<picture>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<picture>", "eval"), names)


def drawings_of(shown: Any) -> list[str]:
    """Return the pictures of a view, each with the sentence below it."""
    return [
        page(
            [SvgPicture.of(each.scene, shown.result, f"picture-{i}", shown.sentences_of(each)[:1])]
        )
        for i, each in enumerate(shown.pictures_to_save())
    ]


def in_theme(saved: str, theme: str) -> str:
    """Return a saved page that follows the page around it instead of the reader's system."""
    return saved.replace("color-scheme: light dark", f"color-scheme: {theme}")


def live_html(shown: Any, title: str, *, folder: Path, name: str, docname: str) -> str:
    """Return what is alive of a view or an explorer on a page of that name; write its files."""
    place = "../" * docname.count("/") + FOLDER
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    try:
        _, element, *_ = shown.to_html(fragment=True).split("\n")
    except ValueError:  # the module cannot draw it
        save_live_pages(shown, folder / FOLDER, name)
        return "".join(
            f'<iframe class="dpviz-live only-{theme}" src="{place}/{name}-{theme}.html" '
            f'title="{escape(title)}, to be moved" loading="lazy"></iframe>'
            for theme in THEMES
        )
    # Browsers load no module from a disk, on which these pages may be: it is a script here.
    code = MODULE.read_text("utf-8").rpartition("export{")[0]
    (folder / FOLDER / "dpviz.js").write_text(f"(() => {{{code}}})();", encoding="utf-8")
    return f'<script defer src="{place}/dpviz.js"></script>{element}'


def save_live_pages(shown: Any, folder: Path, name: str) -> None:
    """Save a view or an explorer as pages that are alive, for light and for dark pages."""
    saved = shown.to_html()
    if not isinstance(shown, Explorer | AnswerView):  # whose pictures are in the header
        saved = saved.replace("</head>", f"<style>{PICTURE_ALONE}</style></head>")
    for theme in THEMES:
        (folder / f"{name}-{theme}.html").write_text(in_theme(saved, theme), encoding="utf-8")


class Picture(SphinxDirective):
    """See above."""

    required_arguments = 1  # name of the files
    has_content = True
    option_spec: ClassVar = {"live": directives.flag, "alt": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Run the lines, save what they show, and return the lines and links to the files."""
        name, code = self.arguments[0], "\n".join(self.content)
        shown = value_of(code)
        folder, is_fixed = Path(self.env.app.outdir), isinstance(shown, FixedView)
        title = self.options.get("alt", name.replace("-", " "))
        live = ""
        if not is_fixed:
            shown.complete_audit()
            live = live_html(shown, title, folder=folder, name=name, docname=self.env.docname)
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        drawings = [shown.svg()] if is_fixed else drawings_of(shown)
        for i, svg in enumerate(drawings):
            for theme, drawing in {"light": svg, "dark": on_dark(svg)}.items():
                (folder / FOLDER / f"{name}-{i}-{theme}.svg").write_text(drawing, encoding="utf-8")
        lines = nodes.literal_block(code, code, language="python")
        html = self._html(name, escape(title), len(drawings), live)
        return [lines, nodes.raw("", html, format="html")]

    def _html(self, name: str, title: str, n_drawings: int, live: str) -> str:
        if "live" in self.options:
            return live
        place = "../" * self.env.docname.count("/") + FOLDER
        pictures = "".join(
            f'<img class="dpviz-picture only-{theme}" src="{place}/{name}-{i}-{theme}.svg" '
            f'alt="{title}" loading="lazy">'
            for i in range(n_drawings)
            for theme in THEMES
        )
        moved = f"<details><summary>Move it yourself</summary>{live}</details>" if live else ""
        return f'<figure class="dpviz-shown" id="picture-{name}">{pictures}{moved}</figure>'


class Thumbnails(SphinxDirective):
    """The pictures of the pages that are its arguments, which stand in the same folder."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the links."""
        here = Path(self.env.doc2path(self.env.docname))
        place = "../" * self.env.docname.count("/") + FOLDER
        links = ""
        for beside in self.arguments[0].split():
            source = here.with_stem(beside)
            self.env.note_dependency(str(source))
            for name, title in DIRECTIVE.findall(source.read_text("utf-8")):
                pictures = "".join(
                    f'<img class="only-{theme}" src="{place}/{name}-0-{theme}.svg" alt="" '
                    'loading="lazy">'
                    for theme in THEMES
                )
                links += f'<a href="{beside}.html#picture-{name}">{pictures}{escape(title)}</a>'
        return [nodes.raw("", f'<div class="dpviz-thumbnails">{links}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("picture", Picture)
    app.add_directive("thumbnails", Thumbnails)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

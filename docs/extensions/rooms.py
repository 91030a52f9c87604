"""The directive `room`: a table of a module's functions and classes, which have a page each.

Pages of the objects are written before Sphinx reads, into `reference/objects`.
"""

from inspect import isclass
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from objects import names_in, objects, pages
from sphinx.addnodes import pending_xref, toctree
from sphinx.application import Sphinx
from sphinx.domains.python import PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.ext.autosummary import Autosummary
from sphinx.util.nodes import make_refnode

FOLDER = "reference/objects"
OTHERS = "VBox, Exception, dict, tuple, object"  # bases whose members are documented elsewhere


def documented_base(thing: Any) -> type | None:
    """Return the nearest base of a class that has a page."""
    bases = thing.__mro__[1:] if isclass(thing) else ()
    return next((base for base in bases if any(base is each for each in objects().values())), None)


def page_of(name: str) -> str:
    """Return the page of an object."""
    thing, options = objects()[name], ""
    kind = "function"
    if isclass(thing):
        kind = "exception" if issubclass(thing, BaseException) else "class"
        inherited = (
            "show-inheritance:" if documented_base(thing) else f"inherited-members: {OTHERS}"
        )
        options = f"   :members:\n   :{inherited}\n"
    return f"{name}\n{'=' * len(name)}\n\n.. auto{kind}:: {name}\n{options}"


def write_pages(app: Sphinx) -> None:
    """Write the pages that changed, and remove those of objects that are gone."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True)
    texts = {folder / f"{name}.rst": page_of(name) for name in pages().values()}
    for old in set(folder.iterdir()) - texts.keys():
        old.unlink()
    for file, text in texts.items():
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, encoding="utf-8")


class Room(Autosummary):
    """What the module is, the table, and links to the pages for the menu of pages."""

    required_arguments = 1  # the module, and names below it
    final_argument_whitespace = True
    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        """Return the parts."""
        room, *listed = self.arguments[0].split()
        homes = [pages()[name] for name in names_in(room, " ".join(listed))]
        # A function that has the name of a module hides it.
        about = self.parse_text_to_nodes(f".. automodule:: {room}\n" if room not in pages() else "")
        self.env.ref_context.pop("py:module", None)
        self.options = {"nosignatures": None}
        self.content = StringList([f"~{name}" for name in homes], source=room)
        here = [name for name in homes if name.rpartition(".")[0] == room]
        entries = [(name.removeprefix(f"{room}."), f"{FOLDER}/{name}") for name in here]
        tree = toctree(
            entries=entries,
            includefiles=[page for _, page in entries],
            parent=self.env.docname,
            maxdepth=-1,
            glob=False,
            caption=None,
            hidden=True,
            includehidden=False,
            numbered=0,
            titlesonly=True,
        )
        return [*about, *super().run(), nodes.compound("", tree)]


def show_documented_base(
    _app: Sphinx, _name: str, thing: Any, _options: Any, bases: list[Any]
) -> None:
    """Name the base that has a page; those between are nobody's business."""
    bases[:] = [documented_base(thing)]


def find(
    _app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Node
) -> nodes.reference | None:
    """Lead a name to the one object that has it or ends with it."""
    domain = env.domains.get(node.get("refdomain"))
    if not isinstance(domain, PythonDomain):
        return None
    target = pages().get(node["reftarget"], node["reftarget"])
    found = dict(domain.find_obj(env, "", "", target, node["reftype"], 1))
    places = {(entry.docname, entry.node_id): name for name, entry in found.items()}
    if len(places) != 1:
        return None
    [((page, anchor), name)] = places.items()
    return make_refnode(env._app.builder, node["refdoc"], page, anchor, [content], name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive, the pages and the links."""
    app.setup_extension("sphinx.ext.autosummary")
    app.add_directive("room", Room)
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-bases", show_documented_base)
    app.connect("missing-reference", find)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

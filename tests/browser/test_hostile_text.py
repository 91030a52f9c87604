"""Text from data, files or the user's hand is shown as text: never as HTML, never as a script.

The texts here would set `window.hacked`, make elements, hide the page or tear its layout, if any
place where they come out took them for HTML or left them their length.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import ipywidgets
import numpy as np
import pytest

from dpviz import AttackScores, audit, explore, theory
from dpviz.audit.models.fleet import Fleet, FleetModel
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import Adjacency
from dpviz.widgets import BoundsView, LandscapeView, RetrainingView, SlicesView, Store, TimelineView
from dpviz.widgets.base.view import View
from tests.browser.bridge import Bridge
from tests.browser.test_explorer import type_into, upload

SHORT = "<svg onload=hacked=1>"
"""No place cuts it, not even beside a marker."""
MARKUP = (
    SHORT,
    '<img src=x onerror="window.hacked=1">',
    "</script><script>window.hacked=1</script>",
    '"><svg onload="window.hacked=1">',
    "<style>*{display:none}</style>",
    "</pre></td></option><iframe srcdoc='<script>top.hacked=1</script>'>",
    "{fpr} %s &lt;b&gt; $&",
)
ALL = "".join(MARKUP)
LONG = "m" * 10_000
BACKWARDS = "from \u202eright to left"
NUL = "a\x00b<i>c</i>"
LINES = "two\nlines\n<b>of text</b>"
DIFFERENT = (ALL, LONG, BACKWARDS, NUL, LINES)
EVERY = (*MARKUP, "javascript:window.hacked=1", *DIFFERENT)

HACKED = """() => { const found = window.hacked; delete window.hacked; return found ?? 0; }"""
MADE = r"""() => [...document.body.querySelectorAll('*')].filter(element =>
    /^(img|script|iframe|object|embed|link|a|b|i)$/.test(element.localName)
    || [...element.attributes].some(({ name, value }) => /^on|^srcdoc$/.test(name)
      || /^(xlink:)?(href|src)$/.test(name) && /^\s*javascript:/.test(value))
    || element.localName === 'style' && !element.textContent.includes('.dpviz'))
  .filter(element => !element.matches('button > i.fa'))  // icons of ipywidgets
  .map(element => element.outerHTML.slice(0, 200))"""
UNFOLD = "() => document.querySelectorAll('details').forEach(each => { each.open = true; })"
FOLD = """() => document.querySelectorAll('.dpviz-answer-below details')
  .forEach(each => { each.open = false; })"""
TEXTS = """() => [...document.body.querySelectorAll('*')]
  .filter(e => e.localName === 'option' || e.localName !== 'style' && e.getClientRects().length)
  .flatMap(e => [...e.childNodes].filter(node => node.nodeType === 3).map(node => node.data))
  .join('\\n')"""
TORN = """() => [...document.querySelectorAll('html, .dpviz [class^=dpviz-]')]
  .filter(e => e.getClientRects().length && e.scrollWidth > e.clientWidth + 1)
  .map(e => `${e.localName}.${e.className}: ${e.scrollWidth} > ${e.clientWidth}`)"""
FALLBACK = """async svg => {
  const [inline, image] = [document.createElement('div'), new Image()];
  inline.innerHTML = svg;
  document.body.append(inline);
  image.src = 'data:image/svg+xml,' + encodeURIComponent(svg);
  await image.decode();
  return inline.textContent; }"""


@dataclass(frozen=True, kw_only=True, repr=False)
class Curve(theory.TradeoffFunction):
    """What a guarantee from Python may look like."""

    said: str
    adjacency: Adjacency = "replace_one"

    def __repr__(self) -> str:
        return self.said

    def _beta(self, alpha: FloatArray) -> FloatArray:
        return np.asarray((1 - np.sqrt(alpha)) ** 2)


def called(text: str, adjacency: Adjacency = "replace_one") -> theory.TradeoffFunction:
    """A guarantee whose class and whose repr are a text; no class has a NUL in its name."""
    kind = type(text.replace("\x00", ""), (Curve,), {})
    made: theory.TradeoffFunction = kind(said=text, adjacency=adjacency)
    return made


def kept(text: str) -> str:
    """What HTML keeps of a text: no NUL, and one space for all white space."""
    return " ".join(text.replace("\x00", "").split())


def cut(text: str) -> str:
    """What a message quotes of a text: 200 characters."""
    said = repr(text)
    return said if len(said) <= 200 else said[:200] + "..."


def assert_is_text(bridge: Bridge, expected: Iterable[str]) -> None:
    """Nothing ran, nothing was made, nothing is torn, and these texts can be read."""
    page = bridge.page
    bridge.settle()
    page.evaluate(UNFOLD)
    assert page.evaluate(HACKED) == 0
    assert page.evaluate(MADE) == []
    shown = kept(page.evaluate(TEXTS))
    assert [text[:80] for text in expected if kept(text) not in shown] == []
    assert page.evaluate(TORN) == []
    page.evaluate(FOLD)  # the words of the answer stand over the controls


def assert_fallback_is_text(bridge: Bridge, view: View) -> None:
    """The picture for those who show no widgets, within a page and as an image."""
    assert SHORT in bridge.page.evaluate(FALLBACK, view.static_bundle()["image/svg+xml"])
    bridge.page.wait_for_timeout(50)  # for what would run
    assert_is_text(bridge, [])


def scores() -> AttackScores:
    rng = np.random.default_rng(4)
    return AttackScores.from_losses(member=rng.normal(-2, 1, 60), nonmember=rng.normal(0, 1, 60))


@pytest.mark.slow
def test_names_of_groups_and_canaries(bridge: Bridge) -> None:
    rng = np.random.default_rng(3)
    included = rng.random((80, len(EVERY))) < 0.5
    shifts = np.where(np.array(EVERY) == SHORT, 6.0, 1.0)
    store = Store(
        audit.retraining_scores(
            rng.normal(shifts * included, 1), included, kind="score", canaries=EVERY
        )
    )
    groups, canaries = SlicesView(store=store), RetrainingView(store=store)
    bridge.show(ipywidgets.VBox([groups, canaries]))
    groups.compute()
    canaries.compute()
    bridge.until(lambda: None not in (groups.answer, canaries.answer))
    assert_is_text(bridge, [*EVERY, f"of group {SHORT}", f"The largest bound is that of {SHORT}"])
    assert_fallback_is_text(bridge, groups)
    assert_fallback_is_text(bridge, canaries)


@pytest.mark.slow
def test_names_and_cells_of_files(bridge: Bridge) -> None:
    explorer = explore(epsilon=1.0, layout="all")
    bridge.show(explorer)
    for text in DIFFERENT:
        cell = text.replace("\x00", "")  # a file with NUL is no text
        quoted = json.dumps(cell[:60], ensure_ascii=not cell.isprintable())[:-1]
        cell = cell.replace('"', '""')
        name = text[:4096]  # a longer one is no file's
        file = name if name.isprintable() else json.dumps(name)
        upload(bridge, name, b"loss,member\n0.5,1\n0.7,0\n")
        assert explorer.source.menu.value == f"uploaded: {name}"
        upload(bridge, name, f'loss,"{cell}"\n0.5,1\n'.encode())
        assert_is_text(bridge, [f"uploaded: {name}", file, quoted, explorer.error])
        upload(bridge, "a.csv", f'loss,member\n"{cell}",1\n'.encode())
        assert_is_text(bridge, [quoted, explorer.error])


@pytest.mark.slow
def test_names_of_models(bridge: Bridge) -> None:
    broken: list[str] = []

    def read() -> AttackScores:
        if broken:
            raise ValueError(broken[0])
        return scores()

    models = [
        FleetModel(name=text, scores=read, strategy=f"{text} s", utility=i, stage=i)
        for i, text in enumerate(EVERY)
    ]
    fleet = Fleet(models=tuple(models), errors=tuple((text, text) for text in DIFFERENT))
    store = Store()
    landscape, timeline = LandscapeView(fleet, store=store), TimelineView(fleet, store=store)
    bridge.show(ipywidgets.VBox([landscape, timeline]))
    bridge.until(lambda: None not in (landscape.answer, timeline.answer))
    assert_is_text(bridge, [*EVERY, *(f"{text}: {text}" for text in DIFFERENT)])
    for text in DIFFERENT:
        landscape.load(text)
        timeline.menu.value = f"{text} s"
        assert_is_text(bridge, [f"Loaded: {text}.", f"{text} s: at stage"])
    broken.append(ALL)
    landscape.load(SHORT)
    assert_is_text(bridge, [landscape.error])
    assert landscape.error == ALL
    broken.clear()
    landscape.load(SHORT)
    assert_is_text(bridge, [f"Loaded: {SHORT}."])
    assert_fallback_is_text(bridge, landscape)


@pytest.mark.slow
def test_what_is_typed(bridge: Bridge) -> None:
    explorer = explore(claim=theory.ListExperiment(support=(0.3, 0.5)), layout="all")
    bounds = BoundsView(scores=scores())
    bridge.show(ipywidgets.VBox([explorer, bounds]))
    for text in (ALL, LONG, BACKWARDS, NUL):
        type_into(bridge, "FPR", text)
        assert not explorer.error.startswith("FPR")  # it was refused in the browser
        assert_is_text(bridge, [f"FPR must be a number (you typed {text.strip()})."])
        typed = bridge.page.get_by_label("support", exact=True)
        typed.fill(text)
        typed.press("Enter")
        bridge.settle()
        assert explorer.error.startswith("Support must be numbers (you typed ")
        box = bridge.page.get_by_label("threshold fixed beforehand").last
        box.fill(text)
        box.press("Enter")
        assert_is_text(bridge, [explorer.error, "Threshold must be a number (you typed "])


@pytest.mark.slow
def test_guarantees_from_python(bridge: Bridge) -> None:
    explorer = explore(
        claim=called(SHORT), overlays=[called(text) for text in DIFFERENT], layout="all"
    )
    bridge.show(explorer)
    explorer.history.show_code.value = True
    refused = "# no code: claim must be of a class in dpviz.theory.MECHANISMS, got "
    for text in (SHORT, LONG):
        explorer.store.update(claim=called(text))
        kind = text.replace("\x00", "")
        expected = [f"from Python: {kind}", f"Under {text}, an attacker", f"{refused}{cut(kind)}"]
        assert_is_text(bridge, expected)
    explorer.store.update(claim=called(ALL, "add_remove"), neighbours="replace_one")
    assert_is_text(bridge, [f"from Python: {ALL}", f"{ALL} is for add/remove, and is converted"])
    explorer.store.update(claim=called("c"), overlays=[called(SHORT)])
    assert_fallback_is_text(bridge, explorer)

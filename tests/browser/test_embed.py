"""dpviz.mjs in plain pages in Chromium, without network: a strict policy, two claims, bad input."""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Dialog, FilePayload, Locator, Page, Route, expect

import dpviz
from dpviz.analysis import Analysis, Spec
from tests.browser.axe import violations
from tests.browser.conftest import new_context
from tests.browser.lab import lab_server, run_code, run_notebook
from tests.browser.wait import PATIENCE, eventually
from tests.browser.watch import Watch
from tests.slow import parametrize

ROOT = Path(__file__).parents[2]
MODULE = (ROOT / "dpviz" / "static" / "dpviz.mjs").read_text("utf-8")
GOLDEN = json.loads((ROOT / "tests" / "parity" / "embed.json").read_text("utf-8"))
POLICY = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'"
PAGE = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>embedded</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<script type="module" src="dpviz.mjs"></script><script type="module" src="page.js"></script>
</head><body>BODY<div id="here"></div></body></html>"""
SITE = "http://embedded.test/"
# Which pictures of a board on a slide are seen as a whole.
SLIDE = """() => {
  const { shadowRoot } = document.querySelector('.dpviz-page');
  const [slide, view] = [document.querySelector('.slides'), shadowRoot.querySelector('.view')]
    .map(each => each.getBoundingClientRect());
  const [top, bottom] = [Math.max(slide.top, view.top), Math.min(slide.bottom, view.bottom)];
  return [...shadowRoot.querySelectorAll('figure:not([hidden]) .card')]
    .map(each => each.getBoundingClientRect())
    .map(each => each.top >= top - 1 && each.bottom <= bottom + 1);
}"""
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def shown(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page with the module; other requests, dialogs, messages and errors fail the test."""
    wrong: list[str] = []
    context = new_context(browser)

    def dismiss(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def show(body: str, script: str = "", **files: str) -> Page:
        own = {"": PAGE.replace("BODY", body), "dpviz.mjs": MODULE, "page.js": script, **files}

        def answer(route: Route) -> None:
            name = route.request.url.removeprefix(SITE)
            if name not in own:
                wrong.append(f"request of {name}")
                route.abort()
            else:
                kind = "text/javascript" if name else "text/html"
                route.fulfill(body=own[name], content_type=kind)

        context.route("**/*", answer)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("dialog", dismiss)
        page.goto(SITE)
        return page

    yield show
    context.close()
    assert not wrong


def use(options: str, view: str = "board") -> str:
    call = f"{view}(document.getElementById('here'), {options})"
    return f"import {{ {view} }} from './dpviz.mjs'; window.made = {call};"


def said(page: Page, element: str = "#here") -> Locator:
    return page.locator(f"{element} #saved-error")


def until(page: Page, condition: str) -> None:
    """Wait for a condition; Playwright's own wait would evaluate text, which the policy forbids."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def test_two_claims_on_one_page_move_apart(shown: Callable[..., Page]) -> None:
    page = shown('<dpviz-board epsilon="1"></dpviz-board>', use("{epsilon: 3, prior: 0.1}"))
    first, second = page.locator("dpviz-board"), page.locator("#here")
    expect(first.locator(".headline")).to_contain_text("ε = 1 lets an attack catch at most 2.72")
    expect(second.locator(".headline")).to_contain_text("ε = 3 lets an attack catch at most 20.1")
    until(page, "!!window.made")
    page.evaluate("void made.on('change', values => { window.seen = values.epsilon })")
    before = second.locator("#dpviz-region-claim_region-0").get_attribute("d")
    first.locator("[type=range]").first.press("ArrowRight")
    expect(first.locator("[type=text]").first).to_have_value("1.05")
    expect(first.locator(".headline")).to_contain_text("ε = 1.05")
    assert second.locator("#dpviz-region-claim_region-0").get_attribute("d") == before
    second.locator("[type=text]").first.fill("2")
    second.locator("[type=text]").first.press("Enter")
    until(page, "window.seen === 2")
    # The claim of the point on the picture, moved by keys, is said at once.
    second.locator("svg[role=img]").first.press("ArrowUp")
    assert page.evaluate("made.get().fnr") is not None
    still = ElementTree.fromstring(page.evaluate("made.toSVG()"))
    assert len(still.findall("{*}svg")) == 4
    for width in (360, 720, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("made.destroy(); document.querySelector('dpviz-board').remove()")
    assert page.locator("svg").count() == 0


def test_labels_are_there_for_a_still_and_for_paper_at_once(shown: Callable[..., Page]) -> None:
    """They come after the first frame; a page that prints itself as it loads has them too."""
    count = "[...made.root.querySelectorAll('[id$=-labels] text')].length"
    script = f"{use('{}')} const now = () => {count}; window.counts = [now()]; made.toSVG();"
    page = shown("", f"{script} counts.push(now())")
    until(page, "window.counts?.length === 2")
    bare, labelled = page.evaluate("counts")
    assert bare == 0
    assert labelled >= 12  # each is drawn twice, the first time as its halo
    script = f"{use('{}')} dispatchEvent(new Event('beforeprint')); window.count = {count};"
    page = shown("", script)
    until(page, "window.count !== undefined")
    assert page.evaluate("count") == labelled
    page = shown("", use("{}"))
    until(page, f"window.made && {count} === {labelled}")


@pytest.mark.parametrize(("scheme", "least"), [("light", 200), ("dark", 0)])
def test_it_is_light_or_dark_as_the_page_is(
    shown: Callable[..., Page], scheme: str, least: int
) -> None:
    page = shown(f"<style>html {{ color-scheme: {scheme} }}</style>", use("{}", "profile"))
    card = page.locator("#here .card")
    expect(card).to_be_visible()
    page.wait_for_timeout(50)
    color = card.evaluate("each => getComputedStyle(each).backgroundColor.match(/\\d+/g)[0]")
    assert least <= int(color) <= least + 55
    expect(page.locator("#here figcaption")).to_contain_text("gives ε = 1 at δ = 1e-5")


@pytest.mark.parametrize(
    ("letters", "is_dark"),
    [
        ("rgb(230, 230, 230)", True),
        ("color(srgb 0.93 0.93 0.93)", True),  # marimo's
        ("color(display-p3 1e-5 0.2 0.1)", False),
        ("oklch(0.9 0.02 200)", True),
        ("oklab(0.2 0.01 0.01)", False),
        ("lab(90 1 1)", True),
        ("lch(20 1 1)", False),
    ],
)
def test_light_letters_of_the_page_mean_dark_in_every_notation(
    shown: Callable[..., Page], letters: str, is_dark: bool
) -> None:
    page = shown(f"<style>html {{ color: {letters} }}</style>", use("{}", "region"))
    expect(page.locator("#here .card")).to_be_visible()
    host = page.locator("#here > .dpviz-page")
    eventually(page, lambda: _assert_dark(host, is_dark))


def _assert_dark(host: Locator, is_dark: bool) -> None:
    assert ("dpviz-on-dark" in str(host.get_attribute("class"))) == is_dark


def test_what_it_finds_in_scores_is_what_python_finds(shown: Callable[..., Page]) -> None:
    page = shown("", use("{}"))
    until(page, "!!window.made")
    for name in ("laplace", "tied", "perfect", "overfitted"):  # node has them all
        golden = GOLDEN[name]
        for wanted in golden["found"][1:2]:
            options = {key: golden[key] for key in ("kind", "members", "nonmembers")}
            page.evaluate(f"made.set({{delta: {wanted['delta']}, scores: {json.dumps(options)}}})")
            size = len(golden["members"])
            until(page, f"made.get().members === {size} && made.get().lowerBound !== undefined")
            found = page.evaluate("made.get()")
            assert found["lowerBound"] == pytest.approx(wanted["bound"], abs=1e-6), name
            star = wanted["epsilon_star"]
            if star is None:
                assert math.isnan(found["epsilonStar"])
            else:
                assert found["epsilonStar"] == pytest.approx(float(star), abs=1e-9)
    expect(page.locator("#here .headline")).to_contain_text("contradict the claim ε = 1")
    expect(page.locator("#here")).to_contain_text(
        "Certified: ε ≥ 2.87 at δ = 1e-5, 95 % confidence"
    )


def test_a_file_is_read_by_the_page_alone(shown: Callable[..., Page]) -> None:
    page = shown("", use("{}", "epsilonStar"))
    expect(page.locator("#here")).to_contain_text("Epsilon* needs the losses of members")
    rows = "".join(f"{i % 97},{int(i % 97 < 40 + i % 9)}\n" for i in range(400))
    name = f"{EVIL}.csv"

    def file(text: str) -> FilePayload:
        return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}

    choose = page.locator("#here [type=file]")
    choose.set_input_files(file(f"loss,member\n{rows}"))
    expect(page.locator("#here h2")).to_contain_text("Epsilon* ")
    choose.set_input_files(file(f"{EVIL},member\n1,1"))
    expect(said(page)).to_contain_text(f"“{EVIL}, member”")
    rows = "Array(10**4).fill('1,1\\n'.repeat(1000))"  # 10^7 of them, written in the page
    page.evaluate(f"name => made.set({{ scores: new File({rows}, name) }})", name)
    expect(said(page)).to_contain_text(f"{EVIL}.csv has 39 MiB; a page reads at most 32 MiB.")
    expect(page.locator("#here h2")).to_contain_text("Epsilon* ")


BAD = [
    ("{epsilom: 1}", "no option “epsilom”: the options are epsilon"),
    ("{epsilon: NaN}", "ε must be 0 or more (you typed nan)."),
    (f"{{prior: '{EVIL}'}}", f"Prior p must be a number (you typed {EVIL})."),
    ("{scores: {members: [], nonmembers: [1]}}", "scores.members must have at least one"),
    ("{scores: {members: [1], nonmembers: [NaN]}}", "must be numbers, got “NaN” at place 0"),
    ("{scores: 'a,b'}", "no column of losses or scores"),
]


def test_bad_input_is_a_sentence_in_the_element(shown: Callable[..., Page]) -> None:
    page = shown("", use(BAD[0][0], "region"))
    for options, sentence in BAD:
        until(page, "!!window.made")
        page.evaluate(f"made.set({options})")
        expect(said(page)).to_contain_text(sentence)
        assert page.evaluate("made.get().epsilon") == 1


def test_an_element_names_attributes_and_versions_that_it_does_not_know(
    shown: Callable[..., Page],
) -> None:
    old = '"version":' if '"version":' in MODULE else "version:"
    other = MODULE.replace(f'{old}"0.1.0"', f'{old}"9.9"')
    assert other != MODULE
    script = "await import('./dpviz.mjs'); await import('./other.mjs');"
    body = '<dpviz-region class="x" epsilon="two" epsilom="1"></dpviz-region>'
    page = shown(body, script, **{"other.mjs": other})
    expect(said(page, "dpviz-region")).to_contain_text("no option “epsilom”")
    expect(said(page, "dpviz-region")).to_contain_text("ε must be a number (you typed two)")
    expect(page.locator("dpviz-region")).to_contain_text("two versions of dpviz, 0.1.0 and 9.9")


def test_the_lines_of_the_documentation_run(shown: Callable[..., Page]) -> None:
    text = (ROOT / "docs" / "reference" / "embed.md").read_text("utf-8")
    html, script = (
        re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)[0] for kind in ("html", "js")
    )
    page = shown(html, script)
    expect(page.locator("dpviz-board .headline")).to_contain_text("ε = 1 lets an attack catch")
    expect(page).to_have_title("claimed 2, certified 0")


def test_the_lines_of_python_show_what_python_found(shown: Callable[..., Page]) -> None:
    scores = dpviz.read_sample("overfitted")
    result = Analysis(scores).result(Spec.of(epsilon=2.0, delta=1e-3, prior=0.1))
    page = shown(dpviz.embed(result).replace("</dpviz-board>", "<p>no script</p></dpviz-board>"))
    board = page.locator("dpviz-board")
    expect(board.locator("[type=text]").first).to_have_value("2")
    until(page, "document.querySelector('dpviz-board').get().epsilonStar !== undefined")
    found = page.evaluate("document.querySelector('dpviz-board').get()")
    assert result.sample is not None
    star = result.sample.epsilon_star.star.value
    assert found["epsilonStar"] == pytest.approx(star, abs=1e-9)
    assert (found["members"], found["nonmembers"]) == (scores.n_members, scores.n_nonmembers)
    assert (found["delta"], found["prior"]) == (1e-3, 0.1)
    assert page.get_by_text("no script").count() == 0
    page.locator("dpviz-board").evaluate("each => each.setAttribute('scores', '{')")
    expect(said(page, "dpviz-board")).to_contain_text("scores must be JSON with members and")


def test_a_page_on_a_disk_has_the_module_in_it(
    browser: Browser, opened: Callable[..., Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "how-to" / "embed.md").read_text("utf-8")
    exec(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0], {})
    page = opened(tmp_path / "page.html")
    expect(page.locator("dpviz-board .headline")).to_contain_text("ε = 1 lets an attack catch")
    # A module that the browser has to load does not run there.
    Path("loads.html").write_text(dpviz.embed(epsilon=1.0, delta=1e-5), "utf-8")
    said: list[str] = []
    context = new_context(browser)
    loads = context.new_page()
    loads.on("console", lambda message: said.append(message.text))
    loads.goto((tmp_path / "loads.html").as_uri())
    assert loads.locator("dpviz-board *").count() == 0
    assert any("CORS policy" in each for each in said)
    context.close()


@parametrize("scheme", ["light", "dark"], slow_but=["dark"])
def test_it_can_be_read_by_all(shown: Callable[..., Page], scheme: str) -> None:
    views = "".join(f"<dpviz-{each} epsilon=1></dpviz-{each}>" for each in ("board", "people"))
    page = shown(f"<style>html {{ color-scheme: {scheme} }}</style><main>{views}</main>")
    expect(page.locator("dpviz-people figcaption").first).to_contain_text("100")
    # Every control is reached by the tab key and named; the picture that moves takes arrow keys.
    board = page.locator("dpviz-board")
    sliders = board.get_by_role("slider")
    expect(sliders).to_have_count(4)
    expect(sliders.first).to_have_accessible_name(re.compile("^ε"))
    expect(board.get_by_role("img", name="What does the claim allow?")).to_have_attribute(
        "tabindex", "0"
    )
    assert not violations(page, "main")


def test_it_prints_light_and_without_controls(shown: Callable[..., Page]) -> None:
    page = shown("<style>html { color-scheme: dark }</style>", use("{}", "region"))
    page.locator("#here .dpviz-on-dark, #here.dpviz-on-dark").wait_for(state="attached")
    page.emulate_media(media="print")
    card = page.locator("#here .card")
    color = "each => getComputedStyle(each).backgroundColor"
    assert card.evaluate(color) == "rgb(255, 255, 255)"
    expect(page.locator("#here .beside")).to_be_hidden()
    expect(page.locator("#here figcaption")).to_be_visible()


def test_nothing_moves_by_itself(shown: Callable[..., Page]) -> None:
    page = shown("<dpviz-board epsilon=1></dpviz-board>")
    page.locator("dpviz-board [type=range]").first.press("ArrowRight")
    assert page.evaluate("document.getAnimations().length") == 0
    moving = page.locator("dpviz-board *").evaluate_all(
        "all => all.filter(each => { const { transitionDuration, animationName } = "
        "getComputedStyle(each); return transitionDuration !== '0s' || animationName !== 'none' })"
        ".length"
    )
    assert moving == 0


def test_keys_that_act_in_a_view_do_not_turn_a_slide(shown: Callable[..., Page]) -> None:
    page = shown(
        '<dpviz-region epsilon="1"></dpviz-region>',
        "window.heard = []; onkeydown = event => void heard.push(event.key);",
    )
    region = page.locator("dpviz-region")
    for part, key in [("[type=range]", "ArrowRight"), ("[type=text]", "a"), ("button", " ")]:
        region.locator(part).first.press(key)
    picture = region.locator("svg[role=img]")
    for key in ("ArrowUp", "PageDown", "Escape"):
        picture.press(key)
    assert page.evaluate("heard") == ["PageDown", "Escape"]


def test_the_style_of_a_page_stays_outside(shown: Callable[..., Page]) -> None:
    style = "body { text-align: center; text-transform: uppercase }"
    style += " div { font: inherit; font-size: 40px; letter-spacing: 9px; padding: 0 }"
    page = shown(f'<style>{style}</style><dpviz-risk epsilon="1"></dpviz-risk>')
    drawn = page.locator("dpviz-risk figcaption").evaluate(
        "each => (({ textAlign, letterSpacing, textTransform, fontSize }) => "
        "[textAlign, letterSpacing, textTransform, fontSize])(getComputedStyle(each))"
    )
    assert drawn == ["start", "normal", "none", "15px"]


def test_a_model_may_lack_what_needs_a_kernel(shown: Callable[..., Page]) -> None:
    # As the model of MyST's themes: both methods say by an error that they do nothing.
    script = """
    import widget from './dpviz.mjs';
    const state = { view: 'region', epsilon: 2 };
    const none = () => { throw new Error('not implemented yet') };
    const model = { get: name => state[name], on() {}, off: none, save_changes: none,
      set(name, value) { state[name] = value } };
    window.end = widget.render({ model, el: document.getElementById('here') });"""
    page = shown("", script)
    slider, box = page.locator("#here [type=range]").first, page.locator("#here [type=text]").first
    for value in ("2.05", "2.1"):
        slider.press("ArrowRight")
        expect(box).to_have_value(value)
    page.evaluate("end()")
    assert page.locator("#here svg").count() == 0


def test_it_is_a_widget_whose_state_is_json(shown: Callable[..., Page]) -> None:
    script = """
    import widget from './dpviz.mjs';
    const state = { view: 'risk', epsilon: 2 };
    const heard = {};
    window.model = { get: name => state[name], save_changes: () => { window.saved = { ...state } },
      set(name, value) { state[name] = value; heard[`change:${name}`]?.() },
      on: (event, act) => { heard[event] = act }, off: event => { delete heard[event] } };
    window.end = widget.render({ model, el: document.getElementById('here') });"""
    page = shown("", script)
    box = page.locator("#here [type=text]").first
    expect(box).to_have_value("2")
    page.evaluate("model.set('epsilon', 3)")
    expect(box).to_have_value("3")
    box.fill("4")
    box.press("Enter")
    until(page, "window.saved?.epsilon === 4")
    page.evaluate("end()")
    assert page.locator("#here svg").count() == 0


def test_no_picture_of_a_board_on_a_slide_is_cut_off(shown: Callable[..., Page]) -> None:
    size = "style='width: 960px; height: 700px; overflow: clip'"
    page = shown(
        f"<div class='reveal'><div class='slides' {size}><dpviz-board></dpviz-board></div></div>"
    )
    pictures = page.locator("dpviz-board figure:visible")
    expect(pictures).to_have_count(4)
    assert page.evaluate(f"({SLIDE})()") == [True, True, False, False]
    pictures.last.evaluate("each => each.scrollIntoView({ block: 'end' })")
    assert page.evaluate(f"({SLIDE})()") == [False, False, True, True]
    # The controls stay in sight.
    expect(page.locator("dpviz-board [type=range]").first).to_be_in_viewport()


@pytest.mark.slow
def test_the_widget_of_the_documentation_lives_in_jupyterlab(page: Page, tmp_path: Path) -> None:
    """The module's default export: the page tells Python its numbers, and Python the page."""
    reference = (ROOT / "docs" / "reference" / "embed.md").read_text("utf-8")
    [lines] = re.findall(r"^```python\n(from pathlib.*?)```", reference, re.DOTALL | re.MULTILINE)
    cells = [f"import dpviz\n{lines}\nshown", "other = Shown(epsilon=4.0)\nother"]
    notebook, served = tmp_path / "embedded.ipynb", tmp_path / "served"
    code: dict[str, object] = {"metadata": {}, "execution_count": None, "outputs": []}
    whole = {
        "cells": [
            {**code, "cell_type": "code", "id": str(i), "source": each}
            for i, each in enumerate(cells)
        ],
        # Without the name of a kernel JupyterLab asks for one.
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    notebook.write_text(json.dumps(whole), encoding="utf-8")
    served.mkdir()
    watch = Watch(page)
    with lab_server(served, notebook) as address:
        run_notebook(page, address)
        views = page.locator(".dpviz-page")
        expect(views).to_have_count(2, timeout=1000 * PATIENCE)
        region, board = (each.locator("[type=text]").first for each in views.all())
        expect(region).to_have_value("2")
        views.first.locator("[type=range]").first.press("ArrowRight")
        expect(region).to_have_value("2.05")
        eventually(page, lambda: _assert_printed(page, "shown.epsilon, other.epsilon", "2.05 4.0"))
        run_code(page, "other.epsilon = 3.0")
        expect(board).to_have_value("3")
        expect(views.last.locator(".headline")).to_contain_text("ε = 3")
        expect(region).to_have_value("2.05")
    assert watch.errors == []
    assert watch.foreign == []


def _assert_printed(page: Page, values: str, wanted: str) -> None:
    assert run_code(page, f"print({values})") == wanted

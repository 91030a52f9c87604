"""A result as one HTML page that needs no network; its controls need no Python."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.claims.menu import ENTRIES, menu_key
from dpviz.analysis.spec import CONTROLS, Control
from dpviz.analysis.state import browser_state
from dpviz.analysis.state.browser_state import Slider, has_closed_form
from dpviz.analysis.state.json_state import fingerprint
from dpviz.analysis.svg import SIZE
from dpviz.analysis.topics import registry
from dpviz.analysis.topics.answer import RULER, AnswerState, ruler_sentence, short_claim_text
from dpviz.analysis.topics.claim import short_name
from dpviz.analysis.words import WORDS
from dpviz.audit.scores.base import Scores
from dpviz.drawing import svg as svg_marks
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import Cursor, Handle
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import FONTS, FORBIDDEN, WIDTH, SvgFrame, SvgMark, SvgPoints, escaped
from dpviz.drawing.theme import INK, PAPER, css_light_dark, css_svg_on_dark
from dpviz.naming import Naming
from dpviz.number_format import exact, short, unbroken_html
from dpviz.value_object import table_html

Texts = Sequence[str]

STILL_STYLE = Path(__file__).with_name("still.css").read_text(encoding="utf-8")
STILL_NOTE = (
    "The widget as it was on {moment:%Y-%m-%d, %H:%M}. In a notebook: run the cell to make it live."
)
# In place of the answer, or below it where only a part of the audit is missing.
SAVED_EARLY = "Saved while the audit was being computed: run the cell again for the {missing}."


def css_hiding_static(widget_id: str) -> str:
    """Return CSS that hides the static picture of a widget while the widget is on the page."""
    return f".dpviz-still-{widget_id[:8]} {{ display: none; }}"


def static_bundle(widget_id: str, *, headline: Texts, svg: str, alt: str) -> dict[str, str]:
    """Return a MIME bundle to show instead of a widget: headline, time and, if given, `svg`."""
    moment = datetime.now()
    first, *others = headline or [""]
    texts = [f"<strong>{escaped(first)}</strong>", *map(escaped, others)] if first else []
    texts.append(f"<em>{STILL_NOTE.format(moment=moment)}</em>")
    if svg:
        # As an image of its own, the picture shares no ids with other elements of the page.
        data = b64encode(svg.encode()).decode()
        texts.append(f'<img src="data:image/svg+xml;base64,{data}" alt="{escaped(alt)}">')
    written = "".join(f"<p>{text}</p>" for text in texts)
    style = f"<style>{STILL_STYLE}</style>"
    html = f'<div class="dpviz-still dpviz-still-{widget_id[:8]}">{style}{written}</div>'
    return {"text/html": html, **({"image/svg+xml": svg} if svg else {})}


# A page is light or dark, on paper light, and light where a browser does not know `light-dark()`.
STYLE = "\n" + Path(__file__).with_name("page.css").read_text(encoding="utf-8")
STYLE += f"""
.card {{ background: {PAPER}; fill: {INK}; font: {SIZE}px {FONTS}; }}
.card {{ background: {css_light_dark(PAPER)}; fill: {css_light_dark(INK)}; }}
{css_svg_on_dark(".card")}
"""


def sliders_by_field(result: Result, drawn: Sequence["SavedPicture"] = ()) -> dict[str, Slider]:
    """Return, by field, sliders for common numbers, numbers of `drawn`, and claim parameters."""
    claim = result.spec.claim
    key = menu_key(claim) if browser_state.is_redrawn_without_python(claim) else ""
    parameters = ENTRIES[key].parameters if key else {}
    own = {f"claim.{name}": how for name, how in parameters.items() if isinstance(how, Control)}
    drawn_numbers = {number for picture in drawn for number in picture.scene.numbers}
    shown = {name: how for name, how in CONTROLS.items() if how.common or name in drawn_numbers}
    return {field: Slider(control) for field, control in {**shown, **own}.items()}


def slider_html(slider: Slider, naming: Naming) -> str:
    """Return a slider and its text box as HTML; the script sets the values."""
    control = slider.control
    label, explained = escaped(naming.renamed(control.label)), escaped(control.explanation)
    return (
        f'<div class="control"><label><span><b>{label}</b> <small>{explained}</small></span>'
        f'<input type="range" min="0" max="{slider.last_step}" step="1"></label>'
        f'<input type="text" autocomplete="off" aria-label="{label}, exact value"></div>'
    )


class SavedPicture:
    """A picture in HTML; a script redraws the curves that have a closed form."""

    def __init__(
        self, scene: Scene, result: Result, name: str, sentences: Texts, *, show_extra: bool = False
    ) -> None:
        self.scene, self._result, self._name = scene, result, name
        self._frame = SvgFrame(scene, name, show_extra=show_extra)
        self._is_live = has_closed_form(result.spec.claim)
        # Which sentences a script rewrites, and which no control changes.
        fixed = [name for name in registry.text_names(scene) if registry.SENTENCES[name].fixed]
        self._fixed = {result.sentences[name] for name in fixed}
        # The script knows a sentence by its name; pictures get only its text.
        moving = [name for name in registry.text_names(scene) if name in browser_state.SENTENCES]
        names = {result.sentences[name]: name for name in moving}
        self._sentences = [(text, names.get(text, "")) for text in sentences]
        self._layers = scene.layers()
        self._frame.draw_layers(self._layers, result)

    def html(self, *, has_note: bool = True, is_folded: bool = False) -> str:
        """Return title, picture, text as HTML; `has_note` adds a place for a note "outdated"."""
        late = self._stale_note_html() if has_note else ""
        frame, name, result = self._frame, self._name, self._result
        title = escaped(self.scene.fixed_title_of(result))
        below = escaped(self.scene.subtitle_of(result))
        moves = map(self._data_attribute, (self.scene.title_sentence, self.scene.subtitle_sentence))
        head = f"<h2{next(moves)}>{escaped(self.scene.title_of(result))}</h2>"
        if below:
            head += f'<p class="drawn"{next(moves)}>{below}</p>'
        said = "".join(
            f"<p{self._data_attribute(name)}>{unbroken_html(escaped(text))}</p>"
            for text, name in self._sentences
        )
        said = _fold(FOLD_LINE, said) if is_folded else said
        return (
            f'<figure>{head}<div class="card">'
            f'<svg viewBox="0 0 {WIDTH} {frame.height:g}" role="img" aria-label="{title}" '
            f'aria-describedby="{name}-said">'
            f'<g id="{name}" {frame.plot.scale_attributes()}>{frame.svg()}</g></svg></div>'
            f'<figcaption id="{name}-said">{late}{said}</figcaption></figure>'
        )

    def browser_data(self) -> dict[str, Any]:
        """Return the marks, shapes and labels that the script needs to redraw the picture."""
        live = {layer: _svg_marks_by_name(layer) for layer in self._layers if layer.closed_form}
        marks = {mark.element_id: mark for each in live.values() for mark in each.values()}
        return {
            "name": self._name,
            "layers": [
                {
                    "name": type(layer).__name__,
                    "marks": {name: mark.element_id for name, mark in each.items() if mark.is_kept},
                }
                for layer, each in live.items()
            ],
            "shapes": {
                key: svg_marks.markers_path(np.zeros((1, 2)), m.mark.marker, m.mark.size)
                for key, m in marks.items()
                if isinstance(m, SvgPoints)
            },
            "labels": [
                drawn.label_data()
                for drawn in self._frame.svg_marks()
                if drawn.texts or (drawn.is_kept and isinstance(drawn, SvgPoints))
            ],
        }

    def _stale_note_html(self) -> str:
        """Return an empty element for the note "outdated"; "" if nothing can become outdated."""
        # What cannot move: layers, and sentences, that only Python recomputes.
        fixed = [text for text, name in self._sentences if not name and text not in self._fixed]
        if not self._is_live or not (self._python_only_layers() or any(fixed)):
            return ""
        how = "some" if self.browser_data()["layers"] else "all"
        return f'<p class="late" data-late="{how}"></p>'

    def _python_only_layers(self) -> list[Layer]:
        """Return the visible layers that no script can redraw, except curves of pinned claims."""
        return [
            layer
            for layer in self._layers
            if not layer.closed_form
            and any(mark.is_shown for mark in _svg_marks_by_name(layer).values())
            and any(part is not self._result.overlays for part in layer.needed_parts(self._result))
        ]

    def _data_attribute(self, sentence_name: str) -> str:
        """Return the attribute by which a script rewrites a sentence; "" for a fixed sentence."""
        is_moving = self._is_live and sentence_name in browser_state.SENTENCES
        return f' data-sentence="{sentence_name}"' if is_moving else ""


def _svg_marks_by_name(layer: Layer) -> dict[str, SvgMark[Any]]:
    return cast(dict[str, SvgMark[Any]], layer.marks_by_name())


SCRIPT = Path(__file__).parents[1] / "static" / "page.js"
OUTCOMES: dict[AnswerState, str] = {
    "contradicted": "contradicted",
    "not contradicted": "not contradicted",
    "cannot decide": "not decided",
    "computing": "not tested yet",
}
# The page loads nothing beyond its own text.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
FOLD_LINE = "What this shows"
LIMITS_LINE = "What this does not say"
NO_NETWORK = "The page needs no network."
ON_BOARD = 4  # pictures; a page of at least this many folds their sentences away
RESET_BUTTON = '<button type="button" id="saved-reset">reset to what was saved</button>'
NO_CONTROLS_NOTE = (
    "A browser cannot redraw this claim, which has no closed form. Change its numbers in Python."
)
# Words of sentences where no kernel answers.
WORDS_OFFLINE = {
    "answer.computing": WORDS["answer.alone"],
    "alone": " The attack is not recomputed here at these settings: this needs Python.",
    "late.some": (
        "Only the claim and the selected FPR move. All else is as saved; Python is needed to "
        "recompute it."
    ),
    "late.all": "This picture is as saved; Python is needed to recompute it.",
    "late.answer": "The attack is not recomputed here. Python is needed for that.",
}


@dataclass(frozen=True, kw_only=True)
class ScoreSource:
    """The source of scores as a page names it: a name and a hash, never a local path."""

    source: str
    sha256: str

    @classmethod
    def of(cls, scores: Scores | None) -> "ScoreSource | None":
        """Return the source of scores, or None without scores."""
        if scores is None:
            return None
        source = scores.provenance.source if scores.provenance else "scores from Python"
        return cls(source=source, sha256=fingerprint(scores))


def saved_page_html(
    result: Result,
    pictures: Sequence[SavedPicture],
    *,
    origin: ScoreSource | None = None,
    headline: Sequence[str] = (),
) -> str:
    """Return an HTML document that loads no other file; its script redraws closed forms."""
    scripts = ""
    kind = f"Privacy audit · {origin.source}" if origin else "Privacy claim"
    about = f"{kind} · {date.today()} · made by dpviz {version('dpviz')}"
    # The script moves the pictures and, where the page begins with the answer, its ruler.
    moving = list(pictures)
    if headline:
        title, header = headline[0], _text_header_html(about, *headline)
    else:
        ruler = SavedPicture(RULER, result, "answer", [ruler_sentence(result)])
        title, header = page_title(result, origin), _answer_header_html(result, about, ruler)
        moving.insert(0, ruler)
    # The script and its data, without which the page shows the same pictures.
    if is_live := has_closed_form(result.spec.claim):
        data = json_for_html(script_data(result, moving, WORDS_OFFLINE))
        scripts = f'<script type="application/json" id="saved-data">{data}</script>'
        scripts += f'<script type="module">{SCRIPT.read_text("utf-8")}</script>'
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{STYLE}</style></head>"
        f'<body>{header}<main class="whole"><div class="page">'
        f"{_controls_html(result, pictures, RESET_BUTTON) if is_live else ''}"
        f"{_pictures_html(pictures)}{_checklist_html(result)}</div></main>"
        f"{_footer_html(result, origin)}{scripts}</body></html>\n"
    )


def widget_html_and_data(
    result: Result, pictures: Sequence[SavedPicture], *, error: str = ""
) -> tuple[str, dict[str, Any] | None]:
    """Return a widget's HTML, and its script's data (None for a claim without a closed form)."""
    ruler = SavedPicture(RULER, result, "answer", [ruler_sentence(result)])
    is_live = has_closed_form(result.spec.claim)
    note = f"<p>{NO_CONTROLS_NOTE}</p>"
    controls = _controls_html(result, pictures, error=error) if is_live else note
    words = {f"late.{how}": WORDS["late"] for how in ("some", "all", "answer")}
    words["alone"] = WORDS["waiting"]
    html = (
        f"<style>{STYLE}</style>"
        f'<section class="view" aria-label="{escaped(page_title(result, None))}">'
        f'{_answer_header_html(result, "", ruler)}<div class="whole"><div class="page">{controls}'
        f"{_pictures_html(pictures)}</div></div></section>"
    )
    return html, script_data(result, [ruler, *pictures], words) if is_live else None


def _fold(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>{content}</details>" if content else ""


def _pictures_html(pictures: Sequence[SavedPicture]) -> str:
    is_full, n = len(pictures) >= ON_BOARD, len(pictures) - ON_BOARD
    board = "".join(picture.html(is_folded=is_full) for picture in pictures[:ON_BOARD])
    others = "".join(picture.html() for picture in pictures[ON_BOARD:])
    further = f'<div class="grid">{others}</div>' if others else ""
    further = _fold(f"{n} further pictures", further) if n > ON_BOARD else further
    return f'<div class="grid board">{board}</div>{further}'


def page_title(result: Result, origin: ScoreSource | None) -> str:
    """Return the title of a page: the audit and its outcome or, without scores, the claim."""
    if result.sample is None:
        return f"Privacy claim: {short_name(result.spec.claim) if result.is_claimed else 'none'}"
    audit = f"Privacy audit of {origin.source}" if origin else "Privacy audit"
    outcome = OUTCOMES.get(result.answer.state)
    return f"{audit}: claim {short_claim_text(result)} {outcome}" if outcome else audit


def _text_header_html(small_print: str, title: str, *paragraphs: str) -> str:
    head = f"<p><small>{escaped(small_print)}</small></p><h1>{unbroken_html(escaped(title))}</h1>"
    written = "".join(f"<p>{unbroken_html(escaped(text))}</p>" for text in paragraphs)
    return f"<header><div>{head}{written}</div></header>"


def _answer_header_html(result: Result, small_print: str, ruler: SavedPicture) -> str:
    """Return the header as HTML: the answer, with its details, beside the ruler of epsilon."""
    said = result.sentences
    is_live = has_closed_form(result.spec.claim)
    role = ' role="status"' if is_live else ""
    late = '<p class="late" data-late="answer"></p>' if is_live and result.sample else ""
    names = ("answer_detail", "large_delta", "cautions", "at_one_percent", "answer_limits")
    moves = {name: f' data-sentence="{name}"' for name in browser_state.SENTENCES if is_live}
    above = f"<p><small>{escaped(small_print)}</small></p>" if small_print else ""
    html = {n: unbroken_html(escaped(said[n])) for n in ("answer", *names)}
    texts = {n: f"<p{moves.get(n, '')}>{html[n]}</p>" for n in names if said.get(n)}
    texts["answer_limits"] = _fold(LIMITS_LINE, texts.get("answer_limits", ""))
    return (
        f"<header><div>{above}<div{role}><h1{moves.get('answer', '')}>"
        f"{html['answer']}</h1>{''.join(texts.values())}{late}</div></div>"
        f"{ruler.html(has_note=False)}</header>"
    )


def _checklist_html(result: Result) -> str:
    """Return the validity checklist as a table in HTML, or "" without scores."""
    if result.sample is None:
        return ""
    table = FORBIDDEN.sub("\ufffd", table_html(*result.tables["checklist"]))
    return f"<section><h2>Checklist</h2>{table}</section>"


def _footer_html(result: Result, origin: ScoreSource | None) -> str:
    """Return the footer of the page: its settings, and the source and hash of the scores."""
    data = "No scores."
    if origin is not None and result.sample is not None:
        at = result.sample.at_fpr
        data = (
            f"Data: {origin.source}, {at.n_members} members and {at.n_nonmembers} non-members, "
            f"SHA-256 of the scores {origin.sha256}."
        )
    # The adjacency is that of the saved claim: the script moves the claim's numbers, not this.
    texts = (_settings_text(result), result.sentences["reading"], data, NO_NETWORK)
    return f"<footer>{''.join(f'<p>{escaped(text)}</p>' for text in texts if text)}</footer>"


def _settings_text(result: Result) -> str:
    """Return sentences about the claim, the saved numbers and the controls of the page."""
    spec = result.spec
    # Numbers that were chosen are written exactly, those that follow from others in short.
    numbers = ", ".join(
        f"{control.label} = {(exact if spec.can_change(field) else short)(result.setting(field))}"
        for field, control in CONTROLS.items()
        if control.common and (field != "epsilon" or result.is_claimed)
    )
    claim = f"Claim: {short_name(spec.claim)}" if result.is_claimed else "Nothing is claimed"
    if result.naming.unclaimed:
        claim = f"No claim is tested. Drawn: {short_name(spec.claim)}"
    text = f"{claim}. Saved at {result.naming.renamed(numbers)}."
    if not has_closed_form(spec.claim):
        return (
            f"{text} Nothing here moves, since a browser cannot draw this claim, which has no "
            "closed form: other numbers need Python."
        )
    return (
        f"{text} You can move the controls: the claim's pictures follow. Results from the data "
        "stay as they were saved."
    )


def _controls_html(
    result: Result, pictures: Sequence[SavedPicture], reset_button: str = "", *, error: str = ""
) -> str:
    shown = sliders_by_field(result, pictures).values()
    written = "".join(slider_html(each, result.naming) for each in shown)
    return (
        f'<div class="beside"><section class="controls" aria-label="controls">{written}</section>'
        '<p id="saved-hint">Drag a marker (◆ the point, ▲ the selected '
        f"{result.naming.renamed('FPR')}), or go to a picture "
        "with the tab key and press arrow keys. "
        f'<button type="button" id="saved-back">Reset the point</button> {reset_button}</p>'
        f'<p class="error" role="alert" id="saved-error">{escaped(error)}</p>'
        "<noscript><p>Nothing moves here: scripts are switched off.</p></noscript></div>"
    )


def script_data(
    result: Result, pictures: Sequence[SavedPicture], words: Mapping[str, str]
) -> dict[str, Any]:
    """Return the data for `js/src/page/page.ts`; `words` take precedence over text templates."""
    controls = sliders_by_field(result, pictures).items()
    unit, path = np.zeros((1, 2)), svg_marks.markers_path
    return {
        "state": browser_state.closed_form_state(result),
        "words": {**browser_state.text_templates(result), **words},
        "controls": [slider.as_json(field) for field, slider in controls],
        "pictures": [picture.browser_data() for picture in pictures],
        "markers": {each: path(unit, each, Handle.size) for each in svg_marks.UNIT_MARKERS}
        | {Cursor.marker: path(np.array([[0.0, Cursor.drop]]), Cursor.marker, Cursor.size)},
    }


def json_for_html(data: object) -> str:
    """Return JSON without characters that could end an HTML element or begin a comment."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")

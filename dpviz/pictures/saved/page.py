"""Pictures of a result as one HTML page that needs no network; its controls need no Python."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from dpviz.analysis import CONTROLS, Result
from dpviz.analysis.number_format import exact, short
from dpviz.analysis.parts.answer import AnswerState
from dpviz.analysis.sentences.answer import ruler as ruler_said
from dpviz.analysis.sentences.answer import short_claim
from dpviz.analysis.sentences.claim import name
from dpviz.analysis.sentences.templates import WORDS
from dpviz.analysis.state.browser_state import closed_form_state, has_closed_form, words_of
from dpviz.analysis.state.scores_state import fingerprint
from dpviz.audit.scores.base import Scores
from dpviz.pictures.marks import Handle
from dpviz.pictures.saved.controls import control_html, sliders
from dpviz.pictures.saved.picture import SavedPicture
from dpviz.pictures.saved.style import STYLE
from dpviz.pictures.scenes.answer import RULER
from dpviz.pictures.svg.shapes import UNIT_MARKERS, at_places
from dpviz.pictures.svg.text import escaped

SCRIPT = Path(__file__).parents[2] / "static" / "saved.js"
OUTCOMES: dict[AnswerState, str] = {
    "contradicted": "contradicted",
    "not contradicted": "not contradicted",
    "cannot decide": "not decided",
    "computing": "not tested yet",
}
# The page loads nothing beyond its own text.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
RESET = '<button type="button" id="saved-reset">reset to what was saved</button>'
FROM_PYTHON = (
    "This claim has no closed form that a browser could draw: change its numbers in Python."
)
# What the sentences say where there is no kernel.
WORDS_THERE = {
    "alone": " What the attack does at these settings is not recomputed here: it needs Python.",
    "late.some": (
        "Only the claim and the selected FPR follow; the rest is as saved, not recomputed here: "
        "needs Python."
    ),
    "late.all": "As saved, not recomputed here: needs Python.",
}


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a page says about where its scores are from; never a path of this machine."""

    source: str
    sha256: str

    @classmethod
    def of(cls, scores: Scores | None) -> "Origin | None":
        """The origin of scores, if there are any."""
        if scores is None:
            return None
        known = scores.provenance
        source = known.source if known else "scores from Python"
        return cls(source=source, sha256=fingerprint(scores))


def saved_page(
    result: Result,
    pictures: Sequence[SavedPicture],
    *,
    origin: Origin | None = None,
    day: date | None = None,
    headline: Sequence[str] = (),
) -> str:
    """An HTML document that loads nothing, with a script that moves the closed-form layers.

    It begins with the answer of the result, or with the lines of another `headline`.
    For a claim without a closed form it has no controls.
    """
    is_live, day = has_closed_form(result.spec.claim), day or date.today()
    kind = f"Privacy audit · {origin.source}" if origin else "Privacy claim"
    about = f"{kind} · {day} · made by dpviz {version('dpviz')}"
    shown = list(pictures)
    if headline:
        title, header = headline[0], _headed(about, *headline)
    else:
        ruler = _ruler(result)
        title, header = page_title(result, origin), _header(result, about, ruler)
        shown.insert(0, ruler)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{STYLE}</style></head>"
        f"<body>{header}<main>"
        f"{_controls(result, pictures, RESET) if is_live else ''}{_grid(pictures)}"
        f"{_checklist(result)}</main>"
        f"{_footer(result, origin)}"
        f"{_script(script_data(result, shown, WORDS_THERE)) if is_live else ''}</body></html>\n"
    )


def living_page(
    result: Result, pictures: Sequence[SavedPicture], *, error: str = ""
) -> tuple[str, dict[str, Any] | None]:
    """The answer, controls and pictures for a widget that Python answers, and its script's data.

    The HTML is no document: a part of one, with its style sheet. For a claim without a closed form
    it has no controls, and there are no data.
    """
    is_live, ruler = has_closed_form(result.spec.claim), _ruler(result)
    controls = _controls(result, pictures, error=error) if is_live else f"<p>{FROM_PYTHON}</p>"
    words = {f"late.{how}": WORDS["late"] for how in ("some", "all")} | {"alone": WORDS["waiting"]}
    html = (
        f"<style>{STYLE}</style>"
        f'<section aria-label="{escaped(page_title(result, None))}">{_header(result, "", ruler)}'
        f"{controls}{_grid(pictures)}</section>"
    )
    return html, script_data(result, [ruler, *pictures], words) if is_live else None


def _ruler(result: Result) -> SavedPicture:
    return SavedPicture(RULER, result, "answer", [ruler_said(result)])


def _grid(pictures: Sequence[SavedPicture]) -> str:
    return f'<div class="grid">{"".join(picture.html() for picture in pictures)}</div>'


def page_title(result: Result, origin: Origin | None) -> str:
    """What was audited, and the outcome where something was claimed; without scores, the claim."""
    if result.sample is None:
        return f"Privacy claim: {name(result.spec.claim) if result.is_claimed else 'none'}"
    audit = f"Privacy audit of {origin.source}" if origin else "Privacy audit"
    outcome = OUTCOMES.get(result.answer.state)
    return f"{audit}: claim {short_claim(result)} {outcome}" if outcome else audit


def _headed(about: str, first: str, *others: str) -> str:
    """A headline of its own, and lines below it."""
    written = "".join(f"<p>{escaped(text)}</p>" for text in others)
    return (
        f"<header><div><p><small>{escaped(about)}</small></p><h1>{escaped(first)}</h1>{written}"
        "</div></header>"
    )


def _header(result: Result, about: str, ruler: SavedPicture) -> str:
    """The answer, the only live region of the page, beside its ruler."""
    said = result.sentences
    is_live = has_closed_form(result.spec.claim)
    late, role = ('<p class="late" data-late="all"></p>', ' role="status"') if is_live else ("", "")
    texts = [
        said[name] for name in ("answer_detail", "large_delta", "at_one_percent", "answer_limits")
    ]
    above = f"<p><small>{escaped(about)}</small></p>" if about else ""
    return (
        f"<header><div>{above}<div{role}><h1>{escaped(said['answer'])}</h1>"
        f"{''.join(f'<p>{escaped(text)}</p>' for text in texts if text)}"
        f"{late}</div></div>{ruler.html(says_late=False)}</header>"
    )


def _checklist(result: Result) -> str:
    """What is stated about the records, and what is not; empty without scores."""
    if result.sample is None:
        return ""
    caption, head, rows = result.tables["checklist"]
    heads = "".join(f'<th scope="col">{escaped(text)}</th>' for text in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escaped(text)}</td>' for text in cells)}</tr>" for cells in rows
    )
    return (
        f"<section><h2>Checklist</h2><table><caption>{escaped(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></section>"
    )


def _footer(result: Result, origin: Origin | None) -> str:
    """Settings, and what the data were."""
    data = "No scores."
    if origin is not None and result.sample is not None:
        at = result.sample.at_fpr
        data = (
            f"Data: {origin.source}, {at.n_members} members and {at.n_nonmembers} non-members, "
            f"SHA-256 of the scores {origin.sha256}."
        )
    texts = (_settings(result), data, "The page needs no network.")
    return f"<footer>{''.join(f'<p>{escaped(text)}</p>' for text in texts)}</footer>"


def _settings(result: Result) -> str:
    """What was chosen, and which pictures can move."""
    spec = result.spec
    numbers = ", ".join(
        f"{control.label} = {(exact if spec.can_change(field) else short)(result.number(field))}"
        for field, control in CONTROLS.items()
        if control.common and (field != "epsilon" or result.is_claimed)
    )
    numbers = result.naming.renamed(numbers)
    claim = f"Claim: {name(spec.claim)}" if result.is_claimed else "Nothing is claimed"
    text = f"{claim}. Saved at {numbers}."
    if not has_closed_form(spec.claim):
        return (
            f"{text} This claim has no closed form that a browser could draw, so nothing here "
            "moves: other numbers need Python."
        )
    return (
        f"{text} You can move the controls: the claim's pictures follow. Results from the data "
        "stay as they were saved."
    )


def _moved(pictures: Sequence[SavedPicture]) -> set[str]:
    """The numbers that move one of the pictures only."""
    return {number for picture in pictures for number in picture.scene.numbers}


def _controls(
    result: Result, pictures: Sequence[SavedPicture], reset: str = "", *, error: str = ""
) -> str:
    shown = sliders(result, _moved(pictures)).values()
    written = "".join(control_html(each, result.naming) for each in shown)
    return (
        f'<section class="controls" aria-label="controls">{written}</section>'
        '<p id="saved-hint">Drag a marker (◆ the point, ▲ the selected '
        f"{result.naming.renamed('FPR')}), or go to a picture "
        "with the tab key and press arrow keys. "
        f'<button type="button" id="saved-back">Reset the point</button> {reset}</p>'
        f'<p class="error" role="alert" id="saved-error">{escaped(error)}</p>'
        "<noscript><p>Nothing moves here: scripts are switched off.</p></noscript>"
    )


def script_data(
    result: Result, pictures: Sequence[SavedPicture], words: Mapping[str, str]
) -> dict[str, Any]:
    """What `js/src/saved/page.ts` has to know; `words` are those that differ there."""
    controls = sliders(result, _moved(pictures)).items()
    return {
        "state": closed_form_state(result),
        "words": {**words_of(result), **words},
        "controls": [slider.told(field) for field, slider in controls],
        "pictures": [picture.live() for picture in pictures],
        "markers": {
            marker: at_places(np.zeros((1, 2)), marker, Handle.size) for marker in UNIT_MARKERS
        },
    }


def _script(data: dict[str, Any]) -> str:
    return (
        f'<script type="application/json" id="saved-data">{harmless_json(data)}</script>'
        f"<script>{SCRIPT.read_text('utf-8')}</script>"
    )


def harmless_json(data: object) -> str:
    """JSON without the characters that could end its HTML element or begin a comment."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")

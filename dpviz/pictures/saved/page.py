"""Pictures of a result as one HTML file that needs no network; its controls need no Python."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from dpviz.analysis import CONTROLS, Result
from dpviz.analysis.number_format import exact, short
from dpviz.analysis.sentences.claim import name
from dpviz.analysis.sentences.templates import WORDS
from dpviz.analysis.state.browser_state import closed_form_state, has_closed_form
from dpviz.pictures.marks import Handle
from dpviz.pictures.saved.controls import control_html, sliders
from dpviz.pictures.saved.picture import SavedPicture
from dpviz.pictures.saved.style import STYLE
from dpviz.pictures.svg.shapes import UNIT_MARKERS, at_places
from dpviz.pictures.svg.text import escaped

SCRIPT = Path(__file__).parents[2] / "static" / "saved.js"
TITLE = "Differential privacy as a hypothesis test"
# The page loads nothing beyond its own text.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
# Templates of the sentences, as they are without a kernel.
WORDS_THERE = {
    **WORDS,
    "alone": " What the attack does at these settings is not recomputed here: it needs Python.",
    "late.some": (
        "Only the claim and the selected FPR follow; the rest is as saved, not recomputed here: "
        "needs Python."
    ),
    "late.all": "As saved, not recomputed here: needs Python.",
}


def saved_page(result: Result, pictures: Sequence[SavedPicture]) -> str:
    """An HTML document that loads nothing, with a script that moves the closed-form layers.

    For a claim without a closed form it has no controls.
    """
    is_live = has_closed_form(result.spec.claim)
    figures = "".join(picture.html() for picture in pictures)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{TITLE}: {escaped(name(result.spec.claim))}</title><style>{STYLE}</style></head>"
        f"<body><header><h1>{TITLE}</h1><p>{escaped(_about(result))}</p></header><main>"
        f'{_controls(result) if is_live else ""}<div class="grid">{figures}</div></main>'
        f"<footer><p>Made by dpviz {escaped(version('dpviz'))}. The page needs no network.</p>"
        f"</footer>{_script(result, pictures) if is_live else ''}</body></html>\n"
    )


def _about(result: Result) -> str:
    """The claim, the data, and which pictures can move."""
    spec = result.spec
    numbers = ", ".join(
        f"{control.label} = {(exact if spec.can_change(field) else short)(result.number(field))}"
        for field, control in CONTROLS.items()
    )
    text = f"The claim, as saved: {name(spec.claim)}. "
    if result.sample is None:
        text += "No scores were loaded. "
    else:
        at = result.sample.at_fpr
        text += f"The attack: scores of {at.n_members} members and {at.n_nonmembers} non-members. "
    if not has_closed_form(spec.claim):
        return text + (
            f"Saved at {numbers}. This claim has no closed form that a browser could draw, so "
            "nothing here moves: other numbers need Python."
        )
    return text + (
        f"Saved at {numbers}. You can move the controls: the claim's pictures follow. Results from "
        "the data stay as they were saved."
    )


def _controls(result: Result) -> str:
    written = "".join(map(control_html, sliders(result).values()))
    return (
        f'<section class="controls" aria-label="controls">{written}</section>'
        '<p id="saved-hint">Drag a marker (◆ the point, ▲ the selected FPR), or go to a picture '
        "with the tab key and press arrow keys. "
        '<button type="button" id="saved-back">Reset the point</button> '
        '<button type="button" id="saved-reset">reset to what was saved</button></p>'
        '<p class="error" role="alert" id="saved-error"></p>'
        "<noscript><p>Nothing moves here: scripts are switched off.</p></noscript>"
    )


def _script(result: Result, pictures: Sequence[SavedPicture]) -> str:
    data = {
        "state": closed_form_state(result),
        "words": WORDS_THERE,
        "controls": [slider.told(field) for field, slider in sliders(result).items()],
        "pictures": [picture.live() for picture in pictures],
        "markers": {
            marker: at_places(np.zeros((1, 2)), marker, Handle.size) for marker in UNIT_MARKERS
        },
    }
    return (
        f'<script type="application/json" id="saved-data">{harmless_json(data)}</script>'
        f"<script>{SCRIPT.read_text('utf-8')}</script>"
    )


def harmless_json(data: object) -> str:
    """JSON without the characters that could end its HTML element or begin a comment."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")

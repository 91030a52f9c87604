"""Write js/src/embed/templates.json from the scenes: ``python -m tests.parity.embed_templates``."""

import json
import re
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dpviz import read_sample
from dpviz.analysis import Analysis, Result, Spec
from dpviz.analysis.spec import CONTROLS
from dpviz.analysis.state import browser_state
from dpviz.analysis.topics import attacks, claim, epsilon_star, profile, region, risk, tradeoff
from dpviz.analysis.topics.registry import SCENES, SENTENCES, lead_name
from dpviz.audit.roc import bands
from dpviz.data.tables import table
from dpviz.drawing import Layer, Points, theme
from dpviz.drawing.layers import add_guessing_line
from dpviz.pictures import page
from dpviz.theory import ApproximateDP, GaussianDP


class RandomGuessing(Layer):
    """The line of all guesses that do not look at the scores."""

    def add_marks(self) -> None:
        add_guessing_line(self.frame)

    def draw(self, result: Result) -> None:
        """Draw nothing: the line stays."""


class CertifiedEpsilon(epsilon_star.CertifiedEpsilon):
    """The certified lower bound, whose label is a mark of its own that a script moves."""

    label = Points(color=theme.ATTACK, size=epsilon_star.LABEL_SIZE)


ROOT = Path(__file__).parents[2]
FILE = ROOT / "js" / "src" / "embed" / "templates.json"
# The layers that the browser draws, from back to front; a scene that is not named keeps its own.
LAYERS: dict[str, list[Any]] = {
    "region": [
        region.ClaimRegion,
        RandomGuessing,
        attacks.attack_band,
        attacks.AttackCurveLayer,
        region.ConfidenceBox,
        region.RegionPoint,
    ],
    "tradeoff": [
        attacks.attack_band,
        claim.ClaimCurve,
        attacks.AttackCurveLayer,
        claim.SelectedFpr,
        attacks.AttackPoint,
    ],
    "tail": [tradeoff.ClaimTail, claim.SelectedFpr],
    "epsilon_star": [
        epsilon_star.RatioCurvesLayer,
        epsilon_star.ClaimedEpsilon,
        CertifiedEpsilon,
        claim.SelectedFpr,
    ],
    "risk": [risk.RiskBounds, risk.AttackRisk, claim.SelectedFpr],
    "profile": [profile.ClaimProfile, profile.EpsilonAtDelta],
}
PICTURES = (*LAYERS, "ratio", "people", "population")
NUMBERS = ("epsilon", "delta", "prior", "fpr")
COLUMNS = {
    "loss": table.LOSS_COLUMNS,
    "score": table.SCORE_COLUMNS,
    "member": table.MEMBER_COLUMNS,
    "yes": ("1", *table.MEMBER_WORDS),
    "no": ("0", *table.NONMEMBER_WORDS),
}
CONFIDENCE = 1 - (1 - 0.95) / 4  # of one limit at all thresholds; a band has four
CLAIMS = {"epsilon": ApproximateDP(epsilon=1.0, delta=1e-5), "mu": GaussianDP(mu=1.0)}


def templates() -> dict[str, Any]:
    """Return the file's content: style, words, sliders, claims and pictures without their paths."""
    result = Analysis(read_sample("overfitted")).result(Spec(claim=CLAIMS["epsilon"]))
    states = {
        name: browser_state.closed_form_state(Analysis().result(Spec(claim=each)))
        for name, each in CLAIMS.items()
    }
    sliders = {name: browser_state.Slider(CONTROLS[name]) for name in NUMBERS}
    sliders["claim.mu"] = page.sliders_by_field(Analysis().result(Spec(claim=CLAIMS["mu"])))[
        "claim.mu"
    ]
    data = page.script_data(result, [], {})
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return {
        "version": version,
        "style": page.STYLE,
        "words": browser_state.text_templates(result),
        "markers": data["markers"],
        "states": states,
        "controls": {
            field: {"html": page.slider_html(each, result.naming), **each.as_json(field)}
            for field, each in sliders.items()
        },
        "columns": COLUMNS,
        "levels": local_levels(),
        "pictures": {name: picture(name, result) for name in PICTURES},
    }


def picture(name: str, result: Result) -> dict[str, Any]:
    """Return a picture's HTML without its paths and texts, and the data that its script reads."""
    lead = lead_name(SCENES[name])
    layers = partial(layers_of, name)
    scene = replace(SCENES[name], has_top=False, topic="none", lead_topic="", layers=layers)
    drawn = page.SavedPicture(scene, result, f"dpviz-{name}", [f"#{lead}"])
    data, html = drawn.browser_data(), drawn.html(has_note=False)
    data["layers"] = [layer for layer in data["layers"] if layer["marks"]]
    moved = {mark for layer in data["layers"] for mark in layer["marks"].values()}
    for label in data["labels"]:
        if label["kind"] == "points" and label["mark"] in moved:
            label.update(texts=[], places=[])
    for mark in moved:
        html = re.sub(rf'(<path id="{mark}" d=)"[^"]*"( display="none")?', r'\1"M0 0"', html)
    html = re.sub(r'(-labels"><g [^>]*>).*(</g></g></g></svg>)', r"\1\2", html)
    for tag, sentence in (
        ("h2", scene.title_sentence),
        ('p class="drawn"', scene.subtitle_sentence),
    ):
        if sentence and not SENTENCES[sentence].fixed:
            html = re.sub(rf"<{tag}[^>]*>[^<]*<", f'<{tag} data-sentence="{sentence}"><', html)
    html = re.sub(r"<p>#(\w+)</p>", r'<p data-sentence="\1"></p>', html)
    return {"html": html, **data}


def local_levels() -> list[tuple[int, float]]:
    """Return local levels by numbers of records, ascending: each for the next larger number."""
    rows = json.loads(bands.TABLE.read_text("utf-8"))["rows"]
    sizes = [*range(1, bands.SMALL_SAMPLE), *(row["n"] for row in rows)]
    known = [n for n in sorted(set(sizes)) if bands.is_tabulated(n, confidence_level=CONFIDENCE)]
    return [(n, bands.local_level(n, confidence_level=CONFIDENCE)) for n in known]


def layers_of(name: str) -> list[Layer]:
    """Return new layers of a scene, all of them drawn by the browser."""
    made = [make() for make in LAYERS[name]] if name in LAYERS else list(SCENES[name].layers())
    for layer in made:
        layer.closed_form = True
    return made


def source() -> str:
    """Return the file: one line a key, as it is bundled and not read by people."""
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in templates().items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(source(), "utf-8")

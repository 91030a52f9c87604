"""The slides of each lesson; `slides.toml` has their texts, claims, priors and scores."""

import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np

from dpviz.analysis import Result, Spec
from dpviz.analysis.topics.mechanism import mechanism_part
from dpviz.analysis.topics.processing import processed_output_part
from dpviz.analysis.topics.registry import SCENES, lead_name
from dpviz.audit import AttackScores
from dpviz.data import read_sample
from dpviz.teach.games import maps
from dpviz.teach.games.game import GameWidget
from dpviz.teach.games.more_records import EPSILON
from dpviz.teach.games.registry import GAMES
from dpviz.teach.lessons.registry import lesson
from dpviz.teach.lessons.two_kinds_of_wrong import SOURCE_CLAIM
from dpviz.teach.lessons.what_delta_buys import GAUSSIAN, LEAKY
from dpviz.teach.question import data_for
from dpviz.theory import GaussianDP, LaplaceMechanism
from dpviz.theory.mechanisms.discrete import ListExperiment
from dpviz.theory.zoom_levels import ZoomLevels
from dpviz.widgets.base.html import Html, button, heading_html
from dpviz.widgets.base.view import View
from dpviz.widgets.present import SLIDES, Presenter, Slide

GUARANTEES = {"source": SOURCE_CLAIM, "gaussian": GAUSSIAN, "leaky": LEAKY}
GUARANTEES |= {"laplace": LaplaceMechanism(epsilon=1.0), "duel": GaussianDP(mu=2.0)}
GUARANTEES |= {"maps": ZoomLevels().mechanism("l1"), "game's maps": maps.LEVELS.mechanism("l1")}
GUARANTEES |= {"survey": ListExperiment(support=(0.5,) * 3)}
GUARANTEES |= {"simulated": LaplaceMechanism(epsilon=EPSILON)}
GUARANTEES |= {"votes": LaplaceMechanism(epsilon=2.0)}


class LessonSlides(View):
    """The title of a lesson, and a button that shows its slides on the whole window."""

    def __init__(self, title: str, slides: list[Slide]) -> None:
        self._title, self.slides = title, slides
        super().__init__()

    def make_children(self) -> list[ipywidgets.Widget]:
        """Return the title, the button, the error line, and the window of the presentation."""
        self.presenter = Presenter(self, self.slides)
        present = button("Present", self.presenter.open, tooltip="slides (key P)")
        return [Html(heading_html(self._title)), present, self.error_line, self.presenter.window]

    def draw(self, result: Result) -> None:
        """Draw nothing: the slides draw themselves."""


def slides(number: int, *, login: str) -> LessonSlides:
    """Return the slides of a lesson for a lecture.

    The slides are in a widget with a button "Present". Each slide has a picture with the lesson's
    own claim, prior and scores, and a control. `slides` lists them, and ``presenter.open()`` does
    what the button does.

    Parameters
    ----------
    number : int, of the lesson
    login : str, of 1 to 100 characters, whose random numbers and losses are shown

    Raises
    ------
    ValueError, if there is no such lesson, or the login is no such text

    Examples
    --------
    >>> from dpviz import teach
    >>> shown = teach.slides(1, login="ada")
    >>> shown.presenter.open()
    >>> shown.presenter.presentation.slide.spec.epsilon
    2.5
    """
    shown = lesson(number, login=login)
    decks = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    no_errors = AttackScores(member=np.full(100, 0.9), nonmember=np.full(100, 0.1))
    scores = {"own": data_for(login).scores, "no errors": no_errors}
    scores |= {name: read_sample(name) for name in ("null", "overfitted")}

    def slide(
        title: str = "", text: str = "", picture: str = "", control: str = "", **fields: Any
    ) -> Slide:
        for name in {"claim"} & fields.keys():
            fields[name] = GUARANTEES[fields[name]]
        overlays = [GUARANTEES[name] for name in fields.pop("overlays", [])]
        sample = scores.get(fields.pop("scores", ""))
        spec = Spec.of(overlays=overlays, **fields)
        title, text = (each.format_map(shown.predictions) for each in (title, text))
        if picture == "game":
            kind = GAMES[shown.number]
            # So narrow that the letters of the enlarged picture are large.
            width = 300 if kind.scene.shape == "square" else 350
            widget = partial(GameWidget, kind(login=login), width)
            return Slide(title or kind.scene.title, (), kind.scene, "", spec=spec, widget=widget)
        named = SLIDES.get(picture)
        scene = named.scene if named else SCENES[picture]
        lead = named.sentences if named else (lead_name(scene),)
        beside: Any = {"text": text, "answers": partial(_computed_on_request, scene.needs)}
        return Slide(
            title, () if text else lead, scene, control, **beside, spec=spec, scores=sample
        )

    return LessonSlides(shown.title, [slide(**each) for each in decks[str(shown.number)]])


def _computed_on_request(needs: str, result: Result) -> dict[str, Any]:
    """Return what a slide needs computed, by the name `needs`, such as "processing", or {}."""
    if needs == "mechanism":
        return {needs: mechanism_part(result.claim, fpr=result.fpr)}
    if needs == "processing":
        return {needs: processed_output_part(result.claim, result.fpr, "clamp_noise", 0.5)}
    return {needs: ZoomLevels(), "zoom_norm": "l1"} if needs == "zoom_levels" else {}

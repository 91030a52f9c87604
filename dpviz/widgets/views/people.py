"""The people view: 100 members beside 100 non-members, or 10 000 people under the prior."""

from typing import Any, ClassVar

import ipywidgets
import numpy as np
import traitlets

from dpviz.analysis import Result
from dpviz.analysis.topics.people import PEOPLE, POPULATION, REDRAWS, RepeatedAuditsPart
from dpviz.analysis.topics.registry import text_names
from dpviz.audit.roc import OperatingPoint
from dpviz.audit.scores.base import Scores
from dpviz.drawing.scene import Scene
from dpviz.widgets.base.html import Html, button, fold, row
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.controls.player import RoundPlayer
from dpviz.widgets.views.figure_view import OPTIONS_LINE, WHY_LINE, FigureView, stacked_pictures

CROWDS = {
    "100 people of each class": "hundreds",
    "10 000 people": "population",
    "hypothetical redraws of the audit": "redraws",
}
SPEEDS = {"1": 1, "2": 2, "5": 5}  # redraws per second


class PeopleView(FigureView):
    """The people whom an attack flags as members, and the members among the flagged.

    Attributes
    ----------
    crowd : {"hundreds", "population", "redraws"}
        A trait: 100 people of each class; 10 000 people with the prior's share of members; or,
        with scores, 100 people of each class in random hypothetical audits.

    Examples
    --------
    >>> from dpviz.widgets import PeopleView
    >>> view = PeopleView(epsilon=3.0, fpr=0.01, prior=0.01)
    >>> view.crowd = "population"
    >>> view.result.sentences["population"][-40:]
    '“member” (members: 20, non-members: 99).'
    """

    scene = PEOPLE
    moved_by = ("epsilon", "delta", "prior", "fpr")
    try_it = "move ε and count the members that the claim protects."
    further_scenes = (POPULATION, REDRAWS)
    late: ClassVar[str] = "late.scores"
    redraws: RepeatedAuditsPart | None = None  # hypothetical audits so far; None without scores
    crowd = traitlets.Enum(list(CROWDS.values()), default_value="hundreds")

    @property
    def pictures_on_page(self) -> list[Picture]:
        return [self._picture_of(self._crowd_scenes[list(CROWDS.values()).index(self.crowd)])]

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        if result.sample is None:
            self.redraws = None
        elif self.redraws is None or self.redraws.people is not result.people:
            self._begin_hypothetical_audits(result, result.sample.at_fpr)
        return {"redraws": self.redraws}

    def simulate_audits(self, draws: int = 1) -> None:
        """Simulate `draws` further hypothetical audits.

        `draws` is at least 1. Does nothing if no scores are loaded.
        """
        if self.redraws is not None:
            self.redraws = self.redraws.with_repetitions(self._rng, draws)
            self.store.refresh()

    def pictures_to_save(self) -> list[Picture]:
        """Return a picture for each choice in the menu "people" that has something to show."""
        shown = (each for each in self._crowd_scenes if not each.is_empty(self.result))
        return [self._picture_of(each) for each in shown]

    def pictures_in_sight(self) -> list[Picture]:
        return self.pictures_on_page

    def sentence_widgets(self) -> dict[str, Html]:
        return {name: Html() for scene in self._crowd_scenes for name in text_names(scene)}

    def widgets_in_order(self) -> list[ipywidgets.Widget]:
        self.menu = Menu("crowd", "people", CROWDS, lambda crowd: self.set_trait("crowd", crowd))
        self.player = RoundPlayer(
            self.simulate_audits,
            lambda: 0 if self.redraws is None else self.redraws.draws,
            unit="redraws",
            speeds=SPEEDS,
        )
        self.player.follow_reduced_motion(self.store.live)
        self.player.calm.observe(self._disable_play_if_reduced_motion, names="value")
        self.observe(lambda _: self.player.pause(), names="comm")  # closed
        self.once = button("draw once", self.simulate_audits)
        player = self.player
        self.play_row = row([player.button, self.once, player.speed, player.calm])
        self.own_widgets += [self.play_row, player.bar, player.hint]
        self._disable_play_if_reduced_motion()
        self.place = stacked_pictures()
        self._show_crowd()
        return [self.head, self.error_line, self.place, self.words]

    @classmethod
    def folded_section_titles(cls, result: Result) -> list[str]:
        return [*super().folded_section_titles(result), OPTIONS_LINE]

    def draw(self, result: Result) -> None:
        # Without scores there are no redraws: the change of the trait draws the hundreds.
        if self.crowd == "redraws" and self.redraws is None:
            self.crowd = "hundreds"
            return
        super().draw(result)

    @traitlets.observe("crowd")
    def _redraw_chosen_crowd(self, _change: object) -> None:
        if self.pictures:
            self.player.pause()
            self.draw(self.result)
            self._show_crowd()
            self.menu.update_from(self)

    def _show_crowd(self) -> None:
        """Put only the chosen crowd's picture on the page: bqplot cannot size a hidden figure."""
        [picture] = self.pictures_on_page
        lead, *others = [self.texts[name] for name in text_names(picture.scene)]
        is_played = picture.scene is REDRAWS
        self.place.children = [picture.widget, *([self.play_row] if is_played else [])]
        self.words.children = [lead, fold(WHY_LINE, others), fold(OPTIONS_LINE, [self.menu.widget])]

    @property
    def _crowd_scenes(self) -> tuple[Scene, ...]:
        return (self.scene, *self.further_scenes)

    def _picture_of(self, scene: Scene) -> Picture:
        """Return the picture of a scene; make the picture if it does not exist yet."""
        for picture in self.pictures:
            if picture.scene is scene:
                return picture
        self.pictures.append(self.new_picture(scene))
        return self.pictures[-1]

    def _begin_hypothetical_audits(self, result: Result, point: OperatingPoint) -> None:
        # With a fixed seed, the same attack has the same hypothetical audits.
        self._rng = np.random.default_rng(0)
        sizes = {"n_members": point.n_members, "n_nonmembers": point.n_nonmembers}
        self.redraws = RepeatedAuditsPart.of(result.people, **sizes)

    def _disable_play_if_reduced_motion(self, _change: object = None) -> None:
        """Disable the play button, not the button "draw once", while "reduced motion" is ticked."""
        self.player.button.disabled = self.player.calm.value
        if self.player.calm.value:
            self.player.pause()

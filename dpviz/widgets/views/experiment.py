"""The view of the membership experiment: simulated rounds, one by one or many at once."""

from functools import partial
from typing import Any, ClassVar

import ipywidgets
import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.topics.experiment import EXPERIMENT, EXPERIMENT_RATES, ExperimentPart, advance
from dpviz.analysis.topics.registry import TABLES, text_names
from dpviz.audit.experiment import Experiment
from dpviz.audit.scores.base import Scores
from dpviz.widgets.base import html
from dpviz.widgets.base.files import heading_row, title_row
from dpviz.widgets.base.html import Checkbox, Html, button, div, fold, html_table, row, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.player import RoundPlayer
from dpviz.widgets.views.figure_view import WHY_LINE, stacked_pictures

ROUNDS_BUTTONS = {"one round": 1, "100 rounds": 100, "10⁶ rounds": 1_000_000}
CONVERTED = "The claim is for add/remove adjacency and is converted to replace-one. "


class ExperimentView(View):
    """A simulation of the best attack that the claim allows at the selected FPR and prior.

    The counts restart when the claim, the prior or the FPR changes.

    Examples
    --------
    >>> from dpviz.widgets import ExperimentView
    >>> view = ExperimentView(epsilon=1.0)
    >>> view.advance(100)
    >>> view.shown.counts.rounds
    100
    """

    is_wide: ClassVar[bool] = True
    fixed_title = "Play the membership game"
    _shown: ExperimentPart | None = None
    _seed = 0

    @property
    def shown(self) -> ExperimentPart:
        """The experiment after the rounds played so far."""
        return self.result.answers["experiment"]

    @property
    def seed(self) -> int:
        """The seed of the random generator of the experiment.

        Equal seeds and equal calls give equal rounds.
        """
        return self._seed

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        asked = Experiment(result.claim.claim, result.spec.prior, result.fpr)
        if self._shown is None or asked != self._shown.experiment:
            self._begin_experiment(asked)
        return {"experiment": self._shown, "experiment_magnified": self.magnify.value}

    def make_children(self) -> list[ipywidgets.Widget]:
        self.player = RoundPlayer(
            self.advance, lambda: self.shown.counts.rounds, lambda: self.draw(self.result)
        )
        self.player.follow_reduced_motion(self.store.live)
        self.observe(lambda _: self.player.pause(), names="comm")  # closed
        acts = {label: partial(self.advance, rounds) for label, rounds in ROUNDS_BUTTONS.items()}
        self.buttons = {label: button(label, act) for label, act in acts.items()}
        self.buttons["again"] = button("again", self.restart)
        look = {"indent": False, "_dom_classes": ["dpviz-button"]}
        self.magnify = Checkbox(description="magnify the point", **look)
        self.magnify.observe(lambda _: self.store.refresh(), names="value")
        self.pictures = [self.new_picture(scene) for scene in (EXPERIMENT, EXPERIMENT_RATES)]
        self.texts = {name: Html() for name in ("seed", "last", "words", "tables")}
        boxes = [stack([heading_row(self, each), stacked_pictures(each)]) for each in self.pictures]
        player = (self.player.button, self.player.speed, self.player.bar, self.player.calm)
        return [
            *self.slider_row_unless_linked(("epsilon", "delta", "prior", "fpr")),
            title_row(Html(html.heading_html(self.fixed_title)), self.late_line),
            row([*self.buttons.values(), self.texts["seed"]], grid_gap="0 8px"),
            row([*player, self.magnify], grid_gap="0 8px"),
            self.player.hint,
            self.error_line,
            self.texts["last"],
            html.columns(boxes, css_class="dpviz-pictures"),
            fold(WHY_LINE, [self.texts["words"]]),
            fold("Numbers", [self.texts["tables"]]),
        ]

    def pictures_to_save(self) -> list[Picture]:
        """Return the pictures, or no pictures before the first round."""
        return super().pictures_to_save() if self.shown.counts.rounds else []

    def advance(self, rounds: int) -> None:
        """Play `rounds` more rounds, at least 1."""
        with self.showing_errors():
            self._shown = advance(self.shown, self._rng, rounds)
            self.store.refresh()

    def restart(self) -> None:
        """Discard all rounds and start with the next seed."""
        self._seed += 1
        self._begin_experiment(self.shown.experiment)
        self.store.refresh()

    def _begin_experiment(self, experiment: Experiment) -> None:
        self.player.pause()
        self._shown = ExperimentPart.before_first_round(experiment)
        self._rng = np.random.default_rng(self._seed)

    def draw(self, result: Result) -> None:
        for picture in self.pictures:
            picture.draw(result)
        self.player.update_progress_bar()
        texts = {name: result.sentences[name] for name in text_names(EXPERIMENT)}
        self.texts["seed"].value = div("dpviz-seed", f"seed {self._seed}")
        self.texts["last"].value = html.sentence_html(texts.pop("last_round"), "dpviz-round")
        texts["rules"] = (CONVERTED if result.claim.converted else "") + texts["rules"]
        self.texts["words"].value = "".join(map(html.sentence_html, texts.values()))
        tables = (TABLES[name](result) for name in ("experiment", "list_experiment"))
        self.texts["tables"].value = "".join(html_table(*table) for table in tables if table.rows)

"""The view of the membership experiment: rounds played against the claim, alone or in bulk."""

from typing import ClassVar

import ipywidgets
import numpy as np

from dpviz.analysis import Result
from dpviz.analysis import experiment_sentences as say
from dpviz.analysis.experiment import ExperimentPart, advance
from dpviz.audit.experiment import Experiment
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.experiment import SettlingCloud, SettlingRates
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes import FNR, FPR
from dpviz.widgets.picture import Picture
from dpviz.widgets.player import Player
from dpviz.widgets.view import View, block, columns, html_table

BULK = {"one round": 1, "100 rounds": 100, "10⁶ rounds": 1_000_000}
LIST_CAPTION = "Respondents of the list experiment by their answer."
CONVERTED = "Claimed for add/remove adjacency, converted to replace-one. "


class ExperimentView(View):
    """The best attack the claim permits at the selected FPR, played at the prior.

    Counts belong to what was asked: they restart when the claim, the prior or the FPR changes.
    """

    is_wide: ClassVar[bool] = True
    title: ClassVar[str] = "Membership experiment: points that make the curve"
    _shown: ExperimentPart
    _rng: np.random.Generator

    @property
    def shown(self) -> ExperimentPart:
        """What was played so far."""
        return self._shown

    @property
    def seed(self) -> int:
        """Where the chances come from: the same seed and steps give the same rounds."""
        return self._seed

    def contents(self) -> list[ipywidgets.Widget]:
        """Title, buttons, error line, two figures, and what they show in words."""
        self._seed = 0
        self._begin(_asked(self.result))
        self.player = Player(self.advance, lambda: self._shown.counts.rounds, self._redraw)
        self.observe(lambda _: self.player.pause(), names="comm")  # closed: nobody looks on
        self.buttons = {label: _button(label) for label in (*BULK, "again")}
        for label, rounds in BULK.items():
            self.buttons[label].on_click(lambda _, rounds=rounds: self.advance(rounds))
        self.buttons["again"].on_click(lambda _: self.again())
        self.magnify = ipywidgets.Checkbox(
            description="magnify the point",
            indent=False,
            layout=ipywidgets.Layout(width="auto"),
        )
        self.magnify.observe(lambda _: self._redraw(), names="value")
        self.pictures = [self._settling_cloud(), self._settling_rates()]
        self.texts = {name: ipywidgets.HTML() for name in ("seed", "last", "words", "tables")}
        return [
            self.heading(self.title),
            _row([*self.buttons.values(), self.texts["seed"]]),
            _row([self.player.button, self.player.speed, self.player.bar]),
            _row([self.player.calm, self.magnify]),
            self.player.hint,
            self.error_line,
            self.texts["last"],
            columns([picture.widget for picture in self.pictures], narrowest=380),
            self.texts["words"],
            self.texts["tables"],
        ]

    def draw(self, result: Result) -> None:
        """Restart if something else is asked now."""
        asked = _asked(result)
        if asked != self._shown.experiment:
            self.player.pause()
            self._begin(asked)
        self._redraw()

    def advance(self, rounds: int) -> None:
        """Play some more rounds, at least 1."""
        with self.guarded():
            self._shown = advance(self._shown, self._rng, rounds)
            self._redraw()

    def again(self) -> None:
        """Forget what was played and begin with the next seed."""
        self.player.pause()
        self._seed += 1
        self._begin(self._shown.experiment)
        self._redraw()

    def _begin(self, asked: Experiment) -> None:
        self._shown = ExperimentPart.of(asked)
        self._rng = np.random.default_rng(self._seed)

    def _redraw(self) -> None:
        result, part = self.result, self._shown
        for picture in self.pictures:
            picture.draw(result)
        self.player.follow()
        # A screen reader hears single rounds, not those that fly past.
        role = "" if self.player.is_playing else "status"
        rules = (CONVERTED if result.claim.converted else "") + say.rules(part)
        words = [rules, say.frequencies(part), say.giveaway(part)]
        self.texts["seed"].value = block("dpviz-seed", f"seed {self._seed}")
        self.texts["last"].value = block(
            "dpviz-sentence dpviz-round", say.last_round(part), role=role
        )
        self.texts["words"].value = "".join(block("dpviz-sentence", text) for text in words if text)
        tables = html_table(say.caption(part), say.HEAD, say.table(part))
        if answers := say.list_table(part):
            tables += html_table(LIST_CAPTION, say.LIST_HEAD, answers)
        self.texts["tables"].value = tables

    def _settling_cloud(self) -> Picture:
        scene = Scene(
            title="Runs of the experiment around the trade-off curve",
            x=FPR,
            y=FNR,
            left=92,  # magnified, ticks have up to six digits
            label_offset="5.2em",
            layers=lambda: [SettlingCloud(lambda: self._shown, lambda: self.magnify.value)],
        )
        return Picture(scene, self)

    def _settling_rates(self) -> Picture:
        scene = Scene(
            title="Shares over the rounds of the experiment",
            x=AxisSpec(label="rounds (log scale)", low=1, high=100, scale="log"),
            y=AxisSpec(label="share (log scale)", low=0.001, high=1, scale="log"),
            layers=lambda: [SettlingRates(lambda: self._shown)],
        )
        return Picture(scene, self)


def _asked(result: Result) -> Experiment:
    return Experiment(result.claim.claim, result.spec.prior, result.spec.fpr)


def _button(label: str) -> ipywidgets.Button:
    return ipywidgets.Button(description=label, layout=ipywidgets.Layout(width="auto"))


def _row(widgets: list[ipywidgets.Widget]) -> ipywidgets.HBox:
    layout = ipywidgets.Layout(flex_flow="row wrap", align_items="center", grid_gap="0 8px")
    return ipywidgets.HBox(widgets, layout=layout)

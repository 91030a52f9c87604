"""The people view: 100 members beside 100 non-members, or 10 000 people under the prior."""

from typing import ClassVar

import ipywidgets
import traitlets

from dpviz.pictures.scenes import PEOPLE, POPULATION
from dpviz.widgets.base.html import fold
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.views.figure_view import OPTIONS, WHY, FigureView, ViewParts, place

CROWDS = {"100 members and 100 non-members": "hundreds", "10 000 people": "population"}


class PeopleView(FigureView):
    """What the error rates mean for people: who is called "member", and who of them is one.

    Attributes
    ----------
    crowd : {"hundreds", "population"}
        A trait: 100 members and 100 non-members, or 10 000 people with members among them as the
        prior says.

    Examples
    --------
    >>> from dpviz.widgets import PeopleView
    >>> view = PeopleView(epsilon=3.0, fpr=0.01, prior=0.01)
    >>> view.crowd = "population"
    >>> view.result.sentences["population"][:43]
    'Of 119 people called “member”, 20 are membe'
    """

    scene = PEOPLE
    moved_by = ("epsilon", "delta", "prior", "fpr")
    try_it = "move ε and count the members that the claim protects."
    further = (POPULATION,)
    late: ClassVar[str] = "late.scores"
    crowd = traitlets.Enum(list(CROWDS.values()), default_value="hundreds")

    @property
    def active_pictures(self) -> list[Picture]:
        return [self.pictures[self.crowd == "population"]]

    def to_save(self) -> list[Picture]:
        """Return both pictures."""
        return self.pictures

    def make_texts(self) -> dict[str, ipywidgets.HTML]:
        names = (*PEOPLE.sentences, *POPULATION.sentences)
        return {name: ipywidgets.HTML() for name in names}

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        self.pictures.append(self.picture(POPULATION))
        self.menu = Menu("crowd", "people", CROWDS, lambda crowd: self.set_trait("crowd", crowd))
        self.place, self.words = place(), parts.words
        self._show_crowd()
        return [parts.title, parts.error, self.place, parts.words]

    @traitlets.observe("crowd")
    def _redraw(self, _change: object) -> None:
        if self.pictures:
            self.draw(self.result)
            self._show_crowd()
            self.menu.follow(self)

    def _show_crowd(self) -> None:
        """Put one picture and its sentences on the page: bqplot cannot size a hidden figure."""
        [picture] = self.active_pictures
        lead, *others = [self.texts[name] for name in picture.scene.sentences]
        self.place.children = [picture.widget]
        self.words.children = [lead, fold(WHY, others), fold(OPTIONS, [self.menu.widget])]

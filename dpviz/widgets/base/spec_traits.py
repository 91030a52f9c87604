"""The spec as traits of a view: set them, observe them, link them."""

from typing import Any, ClassVar

import traitlets

from dpviz.widgets.state.store import Store


class Checked(traitlets.Any):
    """A trait of any value that validates None, too; `traitlets.Any` does not."""

    allow_none = False


class SpecTraits(traitlets.HasTraits):
    """Mixin: one trait per field of the store's spec, always equal to it between changes.

    A trait takes what the field takes; an illegal value raises :class:`SpecError` and leaves the
    trait, the picture and the result as they were.
    """

    store: Store

    claim = Checked(help="the guarantee under test (a TradeoffFunction)")
    epsilon = Checked(help="epsilon of the claim, in [0, inf]")
    delta = Checked(help="delta of the claim and of Epsilon*, in [0, 1]")
    prior = Checked(help="probability that a record is a member, in (0, 1)")
    fpr = Checked(help="selected false positive rate, in [0, 1]; None: the strongest evidence")
    fnr = Checked(help="height of the point in the region; None puts it on the curve")
    tpr = Checked(help="1 - fnr; None puts the point on the curve")
    method = Checked(help='form of Epsilon*: "empirical", "normal" or "mixture"')
    clip = Checked(help='clip of Epsilon*: a number in [0, 0.5), None or "paper"')
    transform = Checked(help='what distributions are fitted to: "paper" or "none"')
    components = Checked(help='components of a mixture: 1 to 20, "bic" or "ks"')
    overlays = Checked(help="up to 6 further guarantees, drawn beside the claim")
    confidence_level = Checked(help="of every interval, band and lower bound, in (0, 1)")
    applies_to = Checked(help='what the records are: "instance" or "mechanism"')
    neighbours = Checked(help='what data sets differ in: "add_remove", "replace_one" or None')
    facts = Checked(help="answers to the validity checklist (Facts, or a mapping)")
    about = Checked(help="who and what a report is about (a mapping, as dpviz.reports.ABOUT)")
    naming = Checked(help="names of the two errors: a key of dpviz.analysis.NAMINGS")
    compare = Checked(help="up to 5 other attacks, by name (Attacks, or a mapping of scores)")
    same_records = Checked(help="whether compared attacks scored the same records; None: unknown")
    pinned_point = Checked(help="FPR and FNR of a point that is kept, or None")
    kappa = Checked(help="chance of a right guess without the output, in (0, 1)")
    cost_false_alarm = Checked(help="what wrongly accusing a non-member costs the attacker")
    cost_miss = Checked(help="what missing a member costs the attacker")
    lower_bound_method = Checked(help='rank test behind the lower bound: "rank_exact" or "rank"')
    spec_fields: ClassVar = tuple(name for name, each in vars().items() if type(each) is Checked)

    def follow_spec(self) -> None:
        """Set every trait to the value in the spec."""
        with self.hold_trait_notifications():
            for name in self.spec_fields:
                setattr(self, name, getattr(self.store.spec, name))

    @traitlets.validate(*spec_fields)
    def _check(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        try:
            if value is not getattr(self.store.spec, name):
                value = getattr(self.store.checked(**{name: value}), name)
        except ValueError as error:
            self.show_error(str(error), name)
            raise
        self.show_error("")
        return value

    @traitlets.observe(*spec_fields)
    def _push(self, change: Any) -> None:
        if getattr(self.store.spec, change["name"]) != change["new"]:
            self.store.update(**{change["name"]: change["new"]})

    def show_error(self, message: str, field: str = "") -> None:
        """Show why a value was rejected."""
        raise NotImplementedError

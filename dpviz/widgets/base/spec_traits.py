"""The fields of the spec as traits of a view, which users set, observe and link."""

from typing import Any, ClassVar

import traitlets

from dpviz import checks
from dpviz.analysis.spec import SETTINGS
from dpviz.value_object import short_repr
from dpviz.widgets.state.store import Store

# What to do where users take other attributes of a view for traits.
WAYS_OUT = {
    "store": "the argument store= makes a new view of another store",
    "scores": "store.load(scores) replaces the scores",
    "result": "observe(handler) follows all traits, and the handler can read the result",
}


class SpecFieldTrait(traitlets.Any):
    """A trait of any value that also validates the value None; `traitlets.Any` does not."""

    allow_none = False


class HasSpecTraits(traitlets.HasTraits):
    """Mixin with a trait for each field of the store's spec; setting the trait sets the field."""

    store: Store
    is_made = False

    spec_fields: ClassVar = tuple(SETTINGS)
    vars().update({name: SpecFieldTrait(help=setting.help) for name, setting in SETTINGS.items()})

    def __repr__(self) -> str:
        claim, scores = self.store.spec.claim, self.store.scores
        return f"{type(self).__name__}(claim={short_repr(claim)}, scores={scores!r})"

    def set_traits_from_spec(self) -> None:
        """Set every trait to the value of its field in the spec."""
        with self.hold_trait_notifications():
            for name in self.spec_fields:
                # The same object is not set again: some take long to compare.
                if getattr(self, name) is not (value := getattr(self.store.spec, name)):
                    setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        is_known = (name in vars(self) and name != "store") or hasattr(type(self), name)
        if self.is_made and not (is_known or name.startswith("_")):
            raise self._unknown_trait_error(name)
        super().__setattr__(name, value)

    def observe(
        self,
        handler: Any,
        names: Any = traitlets.All,
        type: Any = "change",  # noqa: A002
    ) -> None:
        """Call `handler(change)` when a trait changes; AttributeError if a name is no trait."""
        for name in [] if names is traitlets.All else [names] if isinstance(names, str) else names:
            if not self.has_trait(name):
                raise self._unknown_trait_error(name)
        super().observe(handler, names, type)

    def _unknown_trait_error(self, name: str) -> AttributeError:
        similar = WAYS_OUT.get(name) or checks.did_you_mean(name, self.trait_names())
        way_out = similar or "trait_names() lists all"
        return AttributeError(f"{self.__class__.__name__} has no trait {name!r}; {way_out}")

    @traitlets.validate(*spec_fields)
    def _validated_field_value(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        try:
            # The spec has checked its own values.
            if value is not getattr(self.store.spec, name):
                value = getattr(self.store.checked_spec(**{name: value}), name)
        except ValueError as error:
            self.show_error(str(error), name)
            raise
        self.show_error("")
        return value

    @traitlets.observe(*spec_fields)
    def _set_spec_field(self, change: Any) -> None:
        if getattr(self.store.spec, change["name"]) != change["new"]:
            self.store.update(**{change["name"]: change["new"]})

    def show_error(self, message: str, field: str = "") -> None:
        """Show a message on the rejected value of `field`; the message "" clears all errors."""
        raise NotImplementedError

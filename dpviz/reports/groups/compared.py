"""Several attacks on one model: each beside the audited one, and the bound of the best of them."""

from typing import Any

from dpviz.analysis.attacks import FIRST
from dpviz.analysis.number_format import lower, percent, short
from dpviz.analysis.parts.attacks import ComparedAttack
from dpviz.analysis.parts.parts import SamplePart
from dpviz.audit import BestOf, Difference
from dpviz.reports.material import Material
from dpviz.reports.model import Field, Group

NOT_COMPARED = "no other attack was given"


def compared(made: Material) -> Group:
    """The compared attacks, which curve is the lowest, and what the best one certifies."""
    sample = made.sample
    if sample is None or sample.attacks is None:
        fields: tuple[Field, ...] = (
            Field(name="attacks", label="other attacks", reason=NOT_COMPARED),
        )
    else:
        fields = (
            _attacks(made, sample),
            Field(name="lowest", label="lowest curve", value=made.sentences["lowest"]),
            _best_of(made, sample),
        )
    return Group(name="compared", title="Several attacks", fields=fields)


def _attacks(made: Material, sample: SamplePart) -> Field:
    """Every attack, the audited one first; differences are that one minus the other."""
    found = sample.audit.best_of
    others = sample.attacks.compared if sample.attacks else ()
    first = {"name": FIRST, "auc": sample.rates.auc.value, "tpr": sample.at_fpr.tpr}
    rows = [first | _certified(FIRST, found), *(_row(each, found) for each in others)]
    return Field(
        name="attacks",
        label="attacks",
        value=rows,
        shown=f"{len(rows)} attacks",
        about=made.sentences["differences"],
        table=made.result.tables["attacks"],
    )


def _row(attack: ComparedAttack, best: BestOf | None) -> dict[str, Any]:
    about = attack.scores.provenance
    return {
        "name": attack.name,
        "source": about and about.source,
        "sha256": about and about.sha256,
        "same_records": attack.tpr_difference.paired,
        "auc": attack.auc,
        "tpr": attack.at_fpr.tpr,
        "auc_difference": _limits(attack.auc_difference),
        "tpr_difference": _limits(attack.tpr_difference),
        **_certified(attack.name, best),
    }


def _limits(difference: Difference) -> dict[str, float]:
    return {name: getattr(difference, name) for name in ("value", "low", "high")}


def _certified(name: str, best: BestOf | None) -> dict[str, float | None]:
    return {"lower_bound": best.bounds[name].low if best else None}


def _best_of(made: Material, sample: SamplePart) -> Field:
    found = sample.audit.best_of
    return Field(
        name="best_of",
        label="lower bound on ε from the best",
        kind="bound",
        value=found.low if found else None,
        shown=f"at least {short(lower(found.low))}" if found else "",
        confidence_level=found.confidence_level if found else None,
        about=f"{made.sentences['best_of']} At {percent(found.confidence_level)} confidence all of "
        "these bounds hold at once."
        if found
        else "",
        reason=dict(sample.audit.refused).get("best_of", ""),
    )

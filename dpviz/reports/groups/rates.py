"""What the attack reached: rates with their intervals, the curve as counts, groups of records."""

from typing import Any

import numpy as np

from dpviz.analysis.attacks import FIRST
from dpviz.analysis.result import SamplePart
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.attacks import ComparedAttack
from dpviz.audit import AttackCurve, BestOf, Difference
from dpviz.audit.roc.tpr_at_fpr import TprAtFpr, tpr_at_fpr
from dpviz.number_format import lower, percent, short, upper
from dpviz.reports.material import NO_CLAIM, NO_SCORES, Material
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


# What the attack reached: rates with their intervals, the curve as counts, groups of records.

CONVENTION = "last_vertex"  # the definition of the TPR in `OperatingPoint`
DEFINITION = "TPR of the last threshold whose FPR is not above the requested one"
QUOTED_FPRS = (0.1, 0.01, 0.001, 0.0001)
IN_TABLE = ("requested FPR", "realised FPR", "TPR (estimate)", "interval of the TPR", "members")


def results(made: Material) -> Group:
    """Rates of the attack; all but their intervals are estimates."""
    if made.sample is None or made.curve is None:
        fields: tuple[Field, ...] = (Field(name="auc", label="AUC", reason=NO_SCORES),)
    else:
        fields = _rates(made, made.sample, made.curve)
    return Group(name="results", title="What the attack reached", fields=fields)


def _rates(made: Material, sample: SamplePart, curve: AttackCurve) -> tuple[Field, ...]:
    spec, at, area, best = made.result.spec, sample.at_fpr, sample.rates.auc, sample.rates.advantage
    level = spec.confidence_level
    reading = tpr_at_fpr(curve, made.result.fpr, convention=CONVENTION, confidence_level=level)
    auc_interval = _interval(area.low, area.high, level) + ", approximate" * area.is_approximate
    realised = f"at realised FPR {percent(at.fpr)}"
    ppv = at.ppv(prior=spec.prior)
    balanced = (at.tpr + at.tnr) / 2
    return (
        Field(
            name="auc",
            label="AUC",
            value=area.value,
            kind="estimate",
            low=area.low,
            high=area.high,
            confidence_level=area.confidence_level,
            shown=short(area.value),
            about=f"{auc_interval}; area under the curve, ties counted half",
        ),
        Field(
            name="advantage",
            label="advantage",
            value=best.value,
            kind="estimate",
            low=best.low,
            high=best.high,
            confidence_level=level,
            shown=short(best.value),
            about=f"{_interval(best.low, best.high, level)}; largest TPR - FPR, raised by the "
            "search over all thresholds",
        ),
        Field(
            name="tpr",
            label=f"TPR at FPR {percent(made.result.fpr)}",
            value=at.tpr,
            kind="estimate",
            low=reading.interval[0],
            high=reading.interval[1],
            confidence_level=level,
            shown=percent(at.tpr),
            about=f"{_percent_interval(reading.interval, level)}; {realised}",
        ),
        Field(
            name="balanced_accuracy",
            label="balanced accuracy",
            value=balanced,
            kind="estimate",
            shown=percent(balanced),
            about=realised,
        ),
        Field(
            name="ppv",
            label=f"PPV at prior {percent(spec.prior)}",
            value=ppv,
            kind="estimate",
            shown=percent(ppv),
            about=realised,
        ),
        Field(
            name="ppv_allowed",
            label="PPV that the claim allows",
            value=sample.bounds.ppv if made.is_claimed else None,
            shown=f"at most {percent(upper(sample.bounds.ppv))}",
            about=realised,
            reason=NO_CLAIM,
        ),
        _quoted(curve, level),
        _vertices(sample, curve),
    )


def _quoted(curve: AttackCurve, level: float) -> Field:
    """The TPR at the FPRs that papers quote."""
    readings = [
        tpr_at_fpr(curve, fpr, convention=CONVENTION, confidence_level=level) for fpr in QUOTED_FPRS
    ]
    rows = [_quoted_row(reading) for reading in readings]
    return Field(
        name="tpr_at_fpr",
        label="TPR at low FPR",
        value=[_quoted_value(reading) for reading in readings],
        shown="; ".join(f"{row[2]} at FPR {row[0]}" for row in rows),
        kind="estimate",
        confidence_level=level,
        about=DEFINITION,
        table=Table(f"{DEFINITION}; intervals {percent(level)}.", IN_TABLE, rows),
    )


def _quoted_value(reading: TprAtFpr) -> dict[str, Any]:
    return {
        "requested_fpr": reading.requested,
        "realised_fpr": reading.realised_fpr,
        "tpr": reading.value,
        "low": reading.interval[0],
        "high": reading.interval[1],
        "true_positives": reading.true_positives,
        "false_positives": reading.false_positives,
        "definition": reading.convention,
    }


def _quoted_row(reading: TprAtFpr) -> tuple[str, ...]:
    low, high = reading.interval
    return (
        percent(reading.requested),
        percent(reading.realised_fpr),
        percent(reading.value),
        f"{percent(lower(low))} to {percent(upper(high))}",
        f"{reading.true_positives} of {reading.n_members}",
    )


def _vertices(sample: SamplePart, curve: AttackCurve) -> Field:
    """The drawn curve as counts, for machines."""
    scale = np.array([curve.n_nonmembers, curve.n_members])
    rates = sample.attack.curve * [1, -1] + [0, 1]
    counts = np.rint(rates * scale).astype(int)
    return Field(
        name="roc_vertices",
        label="vertices of the curve",
        value=counts.tolist(),
        shown=f"{len(counts)} (in the JSON form: non-members and members flagged)",
        kind="estimate",
        unit="records",
        about=f"of {curve.thresholds.size} measured ones, those that are drawn",
    )


def slices(made: Material) -> Group:
    """Groups of records, where they were compared."""
    table = made.result.tables.get("slices")
    if table is None:
        fields = (Field(name="groups", label="groups of records", reason="not compared"),)
    else:
        rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
        fields = (
            Field(
                name="groups",
                label="groups of records",
                value=rows,
                shown=f"{len(rows)} groups",
                about=made.sentences.get("slices", ""),
                table=table,
            ),
        )
    return Group(name="slices", title="Groups of records", fields=fields)


def _interval(low: float, high: float, level: float) -> str:
    return f"{short(lower(low))} to {short(upper(high))} at {percent(level)}"


def _percent_interval(interval: tuple[float, float], level: float) -> str:
    low, high = interval
    return f"{percent(lower(low))} to {percent(upper(high))} at {percent(level)}"

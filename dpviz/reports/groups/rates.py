"""The fields of a report about attacks: rates, the curve, other attacks, and slices."""

from functools import partial
from typing import Any

import numpy as np

from dpviz.analysis.attacks import FIRST_ATTACK
from dpviz.analysis.result import SamplePart
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.attacks import ComparedAttack
from dpviz.audit import AttackCurve
from dpviz.audit.comparison import Difference
from dpviz.audit.roc.tpr_at_fpr import TprAtFpr, tpr_at_fpr
from dpviz.number_format import lower, percent, percent_at_most, short, upper
from dpviz.reports.material import NO_CLAIM, NO_SCORES, ReportData
from dpviz.reports.model import Field, Group

TPR_RULE = "last_vertex"  # the definition of the TPR in `OperatingPoint`
TPR_DEFINITION = "TPR at the threshold with the largest FPR that does not exceed the requested FPR"
QUOTED_FPRS = (0.1, 0.01, 0.001, 0.0001)
QUOTED_HEAD = ("requested FPR", "realised FPR", "TPR (estimate)", "interval of the TPR", "flagged")
estimate = partial(Field, kind="estimate")


def results_group(material: ReportData) -> Group:
    """Return the fields about the rates of the attack: estimates, with intervals if known."""
    fields: tuple[Field, ...] = (Field("auc", "AUC", reason=NO_SCORES),)
    if material.sample is not None and material.curve is not None:
        fields = (
            *_whole_curve_fields(material.sample, material.result.spec.confidence_level),
            *_rate_fields(material, material.sample, material.curve),
            _low_fpr_field(material.curve, material.result.spec.confidence_level),
            _vertices_field(material.sample, material.curve),
        )
    return Group("results", "Rates of the attack", fields)


def _whole_curve_fields(sample: SamplePart, level: float) -> tuple[Field, ...]:
    """Return fields for the AUC and the advantage (largest TPR - FPR), with intervals."""
    area, best = sample.rates.auc, sample.rates.advantage
    limits = _interval_text(area.low, area.high, level) + ", approximate" * area.is_approximate
    raised = "largest TPR - FPR; biased upwards by the search over all thresholds"
    of_area = f"{limits}; area under the curve, ties counted half"
    of_best = f"{_interval_text(best.low, best.high, level)}; {raised}"

    def field(name: str, label: str, found: Any, level: float, about: str) -> Field:
        within = partial(estimate, low=found.low, high=found.high, confidence_level=level)
        return within(name, label, found.value, short(found.value), about=about)

    return (
        field("auc", "AUC", area, area.confidence_level, of_area),
        field("advantage", "advantage", best, level, of_best),
    )


def _rate_fields(material: ReportData, sample: SamplePart, curve: AttackCurve) -> tuple[Field, ...]:
    """Return fields for rates at the threshold, and for the largest PPV that the claim allows."""
    fpr, spec, at = material.result.fpr, material.result.spec, sample.at_fpr
    level = spec.confidence_level
    low, high = tpr_at_fpr(curve, fpr, convention=TPR_RULE, confidence_level=level).interval
    realised = f"at realised FPR {percent(at.fpr)}"
    ppv, allowed = at.ppv(prior=spec.prior), sample.bounds.ppv
    balanced = (at.tpr + at.tnr) / 2
    within = partial(estimate, low=low, high=high, confidence_level=level)
    limits = f"{_percent_interval(low, high)} at {percent(level)}; {realised}"
    here = partial(Field, about=realised)
    limit, shown = allowed if material.is_claimed else None, f"at most {percent_at_most(allowed)}"
    at_prior, label = f"PPV at prior {percent(spec.prior)}", "balanced accuracy"
    return (
        within("tpr", f"TPR at FPR {percent(fpr)}", at.tpr, percent(at.tpr), about=limits),
        here("balanced_accuracy", label, balanced, percent(balanced), kind="estimate"),
        here("ppv", at_prior, ppv, percent(ppv), kind="estimate"),
        here("ppv_allowed", "PPV that the claim allows", limit, shown, reason=NO_CLAIM),
    )


def _low_fpr_field(curve: AttackCurve, level: float) -> Field:
    """Return a field with the TPR and its interval at each FPR of `QUOTED_FPRS`."""
    readings = [
        tpr_at_fpr(curve, fpr, convention=TPR_RULE, confidence_level=level) for fpr in QUOTED_FPRS
    ]
    rows = [_tpr_table_row(reading) for reading in readings]
    shown = "; ".join(f"{row[2]} at FPR {row[0]}" for row in rows)
    table = Table(f"{TPR_DEFINITION}; intervals {percent(level)}.", QUOTED_HEAD, rows)
    values = list(map(_tpr_as_json, readings))
    field = partial(estimate, confidence_level=level, about=TPR_DEFINITION, table=table)
    return field("tpr_at_fpr", "TPR at low FPR", values, shown)


def _tpr_as_json(reading: TprAtFpr) -> dict[str, Any]:
    fprs = {"requested_fpr": reading.requested, "realised_fpr": reading.realised_fpr}
    limits = dict(zip(("low", "high"), reading.interval, strict=True))
    counts = {name: getattr(reading, name) for name in ("true_positives", "false_positives")}
    return {**fprs, "tpr": reading.value, **limits, **counts, "definition": reading.convention}


def _tpr_table_row(reading: TprAtFpr) -> tuple[str, ...]:
    rates = map(percent, (reading.requested, reading.realised_fpr, reading.value))
    flagged = f"{reading.true_positives} of {reading.n_members}"
    return (*rates, _percent_interval(*reading.interval), flagged)


def _vertices_field(sample: SamplePart, curve: AttackCurve) -> Field:
    """Return a field with the vertices of the drawn ROC curve as counts of flagged records."""
    # Rates back to counts of records: whole numbers, so that no digit is lost.
    scale = np.array([curve.n_nonmembers, curve.n_members])
    rates = sample.attack.curve * [1, -1] + [0, 1]
    counts = np.rint(rates * scale).astype(int)
    shown = f"{len(counts)} (in the JSON form: non-members and members flagged)"
    about = f"the drawn ones of {curve.thresholds.size} measured vertices"
    field = partial(estimate, unit="records", about=about)
    return field("roc_vertices", "vertices of the curve", counts.tolist(), shown)


def attacks_group(material: ReportData) -> Group:
    """Return the fields about attacks: their rates, the lowest curve, the best attack's bound."""
    sample, said = material.sample, material.sentences
    none = Field("attacks", "other attacks", reason="no other attack was given")
    fields: tuple[Field, ...] = (none,)
    if sample is not None and sample.attacks is not None:
        best = sample.audit.best_of
        # The first attack stands on top, without a difference from itself.
        first = {"name": FIRST_ATTACK, "auc": sample.rates.auc.value, "tpr": sample.at_fpr.tpr}
        rows: list[dict[str, Any]] = [first, *map(_attack_row, sample.attacks.compared)]
        for row in rows:
            row["lower_bound"] = best.bounds[row["name"]].low if best else None
        field = partial(Field, about=said["differences"], table=material.result.tables["attacks"])
        fields = (
            field("attacks", "attacks", rows, f"{len(rows)} attacks"),
            Field("lowest", "lowest curve", said["lowest"]),
            _best_bound_field(material, sample),
        )
    return Group("compared", "Several attacks", fields)


def _attack_row(attack: ComparedAttack) -> dict[str, Any]:
    origin = attack.scores.provenance
    return {
        "name": attack.name,
        "source": origin and origin.source,
        "sha256": origin and origin.sha256,
        "same_records": attack.tpr_difference.paired,
        "auc": attack.auc,
        "tpr": attack.at_fpr.tpr,
        "auc_difference": _value_and_limits(attack.auc_difference),
        "tpr_difference": _value_and_limits(attack.tpr_difference),
    }


def _best_bound_field(material: ReportData, sample: SamplePart) -> Field:
    best = sample.audit.best_of
    field = partial(Field, "best_of", "lower bound on ε from the best attack", kind="bound")
    if best is None:
        return field(reason=dict(sample.audit.refused).get("best_of", ""))
    level, shown = best.confidence_level, f"at least {short(lower(best.low))}"
    confidence = f"At {percent(level)} confidence all of these bounds hold at once."
    about = f"{material.sentences['best_of']} {confidence}"
    return field(best.low, shown, confidence_level=level, about=about)


def slices_group(material: ReportData) -> Group:
    """Return the group with the field for the compared slices (groups of records)."""
    table, label = material.result.tables.get("slices"), "groups of records"
    field = Field("groups", label, reason="not compared")
    if table is not None:
        rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
        about = material.sentences.get("slices", "")
        field = Field("groups", label, rows, f"{len(rows)} groups", about=about, table=table)
    return Group("slices", "Groups of records", (field,))


def _value_and_limits(difference: Difference) -> dict[str, float]:
    return {name: getattr(difference, name) for name in ("value", "low", "high")}


def _interval_text(low: float, high: float, level: float) -> str:
    return f"{short(lower(low))} to {short(upper(high))} at {percent(level)}"


def _percent_interval(low: float, high: float) -> str:
    return f"{percent(lower(low))} to {percent_at_most(high)}"

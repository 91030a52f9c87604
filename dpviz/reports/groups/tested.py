"""The fields of a report about what was tested: attacks, classes of attacks, both sides, records.

Two texts request such a list. OWASP AISVS 1.0, requirement 11.2.5 (level 3, in 1.0/en of its
repository), wants simulations of membership inference to show that "attack accuracy does not exceed
random guessing". EDPB Opinion 28/2024, paragraph 55, names classes of attacks, and says that tests
are evidence about the attacks that were run; its text was read as others quote it. A report lists
what was done, and does not judge whether either text is satisfied.
"""

from functools import partial

from dpviz.analysis.result import SamplePart
from dpviz.analysis.topics.attacks import ONE_RUN_INTERVALS, difference_texts
from dpviz.analysis.topics.bounds import OWNERS, bound_text
from dpviz.audit.blind import AboveBlind, BlindBaseline
from dpviz.audit.comparison import Difference
from dpviz.number_format import lower, percent, short, upper
from dpviz.reports.material import NO_SCORES, ReportData
from dpviz.reports.model import Field, Group

# Those of EDPB Opinion 28/2024, paragraph 55, in its order.
CLASSES = (
    *("attribute inference", "membership inference", "exfiltration"),
    *("regurgitation of training data", "model inversion", "reconstruction"),
)
RUN = "membership inference"  # the class of every attack whose scores dpviz reads
SOURCES = (
    'OWASP AISVS 1.0, 11.2.5 ("attack accuracy does not exceed random guessing"); EDPB Opinion '
    "28/2024, paragraph 55 (classes of attacks)"
)
NO_VERDICT = "this report does not claim compliance with either"
NO_UPPER_LIMIT = "no upper limit was computed"
UNNAMED = "an attack without a stated name"
NO_FEATURES = "no features of the records were given"
FROM_BELOW = (
    "balanced accuracy of this attack at its best threshold, by the lower limit of its advantage, "
    "which accounts for the search over thresholds; 50 % is random guessing"
)
OTHERS = "says nothing about other attacks, nor about the mechanism"
OUTSIDE = "of the classes that the second source below names; tests elsewhere are not known here"
BLIND = "of a classifier that knows features of the records, and not the model"
estimate, bound = partial(Field, kind="estimate"), partial(Field, kind="bound")


def tested_group(material: ReportData) -> Group:
    """Return the fields about attacks that were run or not, and what was shown on both sides."""
    run = [] if material.sample is None else [RUN]
    missing = [each for each in CLASSES if each not in run]
    names = _attack_names(material)
    fields = (
        Field("attacks_run", "attacks that were run", names, _listed(names), reason=NO_SCORES),
        Field("classes_run", "classes of attacks that were run", run, _listed(run) or "none"),
        Field("classes_not_run", "classes that were not", missing, _listed(missing), about=OUTSIDE),
        *material.stated_fields("tested"),
        *(() if material.sample is None else _side_fields(material, material.sample)),
        *(() if material.sample is None else _blind_fields(material)),
        Field("sources", "sources of this list", SOURCES, about=NO_VERDICT),
    )
    return Group("tested", "What was tested, and what was not", fields)


def _listed(texts: list[str] | None) -> str:
    return ", ".join(texts or ())


def _attack_names(material: ReportData) -> list[str] | None:
    """Return the names of the attacks that were run; the first as stated, or None without any."""
    sample = material.sample
    if sample is None:
        return None
    stated = material.result.spec.about.get("attack", {}).get("name", UNNAMED)
    others = sample.attacks.compared if sample.attacks is not None else ()
    return [str(stated), *(each.name for each in others)]


def _side_fields(material: ReportData, sample: SamplePart) -> tuple[Field, ...]:
    """Return the fields about the records, and about what was shown from below and from above."""
    level, least = material.result.spec.confidence_level, (1 + sample.rates.advantage.low) / 2
    below, at = sample.audit.bound, sample.at_fpr
    shown = f"at least {percent(lower(least))}"
    why = dict(sample.audit.refused).get("bound", "")
    low, text = (None, "") if below is None else (below.low, f"at least {bound_text(below)}")
    limit = partial(bound, confidence_level=level)
    pair = f"{percent(level)} confidence, two-sided; {FROM_BELOW}"
    if material.result.spec.is_one_run:
        pair += f".{ONE_RUN_INTERVALS.rstrip('.')}"
    of = ""
    if below is not None:
        whose = OWNERS[below.applies_to]
        of = f"{percent(level)} confidence, at δ = {short(below.delta)}, of {whose}"
    return (
        Field("n_members", "members in the test", at.n_members, unit="records"),
        Field("n_nonmembers", "non-members in the test", at.n_nonmembers, unit="records"),
        limit("accuracy_at_least", "accuracy, from below", least, shown, about=pair),
        limit("accuracy_at_most", "accuracy, from above", about=OTHERS, reason=NO_UPPER_LIMIT),
        limit("epsilon_at_least", "ε, from below", low, text, about=of, reason=why),
    )


def _blind_fields(material: ReportData) -> tuple[Field, ...]:
    """Return the fields about the blind baseline, and how far the attack is above it if known."""
    found = material.result.answers.get("blind")
    above = found if isinstance(found, AboveBlind) else None
    blind = above.blind if above else found
    if not isinstance(blind, BlindBaseline):
        return (Field("blind_auc", "AUC without the model", reason=NO_FEATURES),)
    auc, p_value = blind.auc, blind.p_value
    within = f"{short(lower(auc.low))} to {short(upper(auc.high))}"
    about = f"{BLIND}; {within} at {percent(auc.confidence_level)}, {auc.note}"
    null = "of exchangeable members and non-members; valid at every sample size"
    area, chance, shown = short(auc.value), "p-value of this AUC", short(upper(p_value))
    field = partial(estimate, low=auc.low, high=auc.high, confidence_level=auc.confidence_level)
    return (
        field("blind_auc", "AUC without the model", auc.value, area, about=about),
        Field("blind_p_value", chance, p_value, shown, about=null),
        *(_difference_fields(above) if above else ()),
    )


def _difference_fields(above: AboveBlind) -> tuple[Field, ...]:
    """Return the fields for the differences of AUC and of TPR between attack and baseline."""
    less, at = "attack minus blind baseline", percent(above.tpr.fpr)
    return (
        _difference_field("above_blind_auc", f"{less}: AUC", above.auc),
        _difference_field("above_blind_tpr", f"{less}: TPR at FPR {at}", above.tpr),
    )


def _difference_field(name: str, label: str, found: Difference) -> Field:
    value, low, high = difference_texts(found)
    level = found.confidence_level
    about = f"{low} to {high} at {percent(level)}, {found.note}"
    field = partial(estimate, low=found.low, high=found.high, confidence_level=level)
    return field(name, label, found.value, value, about=about)

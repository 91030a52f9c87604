"""The fields of a report about what was tested: attacks, classes of attacks, both sides, records.

Two texts request such a list. OWASP AISVS 1.0, requirement 11.2.5 (level 3), wants simulations of
membership inference to show that "attack accuracy does not exceed random guessing on evaluated
data"; read in its repository, 1.0/en, of July 2026. EDPB Opinion 28/2024, paragraph 55, names
classes of attacks, and says that tests are evidence about the attacks that were run. Its primary
text could not be read: the number and the classes are those that other software quotes, such as
memaudit. A report lists what was done, and does not judge whether either text is satisfied.
"""

from functools import partial

from dpviz.analysis.result import SamplePart
from dpviz.analysis.topics.attacks import ONE_RUN_INTERVALS, difference_texts
from dpviz.analysis.topics.bounds import OWNERS, bound_text
from dpviz.audit.blind import AboveBlind, BlindBaseline
from dpviz.audit.comparison import Difference
from dpviz.audit.upper_limits.at_most import SILENT_ABOUT
from dpviz.number_format import lower, percent, short, upper
from dpviz.reports.material import NO_SCORES, ReportData
from dpviz.reports.model import Field, Group

# Those of EDPB Opinion 28/2024, paragraph 55, in its order; its first item has the first two.
CLASSES = (
    *("attribute inference", "membership inference", "exfiltration"),
    *("regurgitation of training data", "model inversion", "reconstruction"),
)
RUN = "membership inference"  # the class of every attack whose scores dpviz reads
SOURCES = (
    'OWASP AISVS 1.0, 11.2.5 ("attack accuracy does not exceed random guessing on evaluated '
    'data"); EDPB Opinion 28/2024, paragraph 55 (classes of attacks)'
)
NO_VERDICT = "this report does not claim compliance with either"
UNNAMED = "an attack without a stated name"
ACCURACY = (
    "balanced accuracy of this attack at its best threshold; the limit accounts for the search "
    "over thresholds; 50 % is random guessing"
)
OUTSIDE = "of the classes that the second source below names; tests elsewhere are not known here"
BLIND = "of a classifier that knows features of the records, and not the model"
CHANCE = "if members and non-members are exchangeable; valid at every sample size"
estimate, bound = partial(Field, kind="estimate"), partial(Field, kind="bound")


def tested_group(material: ReportData) -> Group:
    """Return the fields about attacks that were run or not, and what was shown on both sides."""
    sample = material.sample
    run = [] if sample is None else [RUN]
    rest, names = [each for each in CLASSES if each not in run], _attack_names(material)
    of_sample = () if sample is None else (*_limits(material, sample), *_blind_fields(material))
    fields = (
        Field("attacks_run", "attacks that were run", names, _listed(names), reason=NO_SCORES),
        Field("classes_run", "classes of attacks that were run", run, _listed(run) or "none"),
        Field("classes_not_run", "classes that were not run", rest, _listed(rest), about=OUTSIDE),
        *material.stated_fields("tested"),
        *of_sample,
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


def _limits(material: ReportData, sample: SamplePart) -> tuple[Field, ...]:
    """Return the fields about the records, and about what they show from below and from above."""
    spec, at, audit = material.result.spec, sample.at_fpr, sample.audit
    advantage = sample.rates.advantage
    least, most = (1 + advantage.low) / 2, (1 + advantage.high) / 2
    most = audit.at_most.accuracy.high if audit.at_most else most
    confidence = f"{percent(spec.confidence_level)} confidence"
    assumed = f".{ONE_RUN_INTERVALS.rstrip('.')}" if spec.is_one_run else ""
    shown = f"at least {percent(lower(least))}", f"at most {percent(upper(most))}"
    why, low, text, of = dict(audit.refused).get("bound", ""), None, "", ""
    if audit.bound is not None:
        low, text = audit.bound.low, f"at least {bound_text(audit.bound)}"
        of = f"{confidence}, at δ = {short(audit.bound.delta)}, of {OWNERS[audit.bound.applies_to]}"
    limit = partial(bound, confidence_level=spec.confidence_level)
    below = f"{confidence}; {ACCURACY}{assumed}"
    above = f"{confidence}; the same accuracy; {SILENT_ABOUT}{assumed}"
    return (
        Field("n_members", "members in the test", at.n_members, unit="records"),
        Field("n_nonmembers", "non-members in the test", at.n_nonmembers, unit="records"),
        limit("accuracy_at_least", "accuracy, from below", least, shown[0], about=below),
        limit("accuracy_at_most", "accuracy, from above", most, shown[1], about=above),
        limit("epsilon_at_least", "ε, from below", low, text, about=of, reason=why),
    )


def _blind_fields(material: ReportData) -> tuple[Field, ...]:
    """Return the fields about the blind baseline, and how far the attack is above it if known."""
    found = material.result.answers.get("blind")
    above = found if isinstance(found, AboveBlind) else None
    blind = above.blind if above else found
    if not isinstance(blind, BlindBaseline):
        reason = "no features of the records were given"
        return (Field("blind_auc", "AUC without the model", reason=reason),)
    auc, p_value = blind.auc, blind.p_value
    level, limits = auc.confidence_level, f"{short(lower(auc.low))} to {short(upper(auc.high))}"
    about = f"{BLIND}; {limits} at {percent(level)}, {auc.note}"
    field = partial(estimate, low=auc.low, high=auc.high, confidence_level=level, about=about)
    fields = (
        field("blind_auc", "AUC without the model", auc.value, short(auc.value)),
        Field("blind_p_value", "p-value of this AUC", p_value, short(upper(p_value)), about=CHANCE),
    )
    if above is None:
        return fields
    at = material.result.naming.renamed(f"TPR at FPR {percent(blind.fpr)}")
    return (
        *fields,
        _difference_field("above_blind_auc", "AUC", above.auc),
        _difference_field("above_blind_tpr", at, above.tpr),
    )


def _difference_field(name: str, of: str, found: Difference) -> Field:
    value, low, high = difference_texts(found)
    level, label = found.confidence_level, f"{of} of the attack minus that without the model"
    about = f"{low} to {high} at {percent(level)}, {found.note}"
    field = partial(estimate, low=found.low, high=found.high, confidence_level=level, about=about)
    return field(name, label, found.value, value)

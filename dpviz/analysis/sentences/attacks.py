"""Several attacks: which curve is the lowest where, their differences, the bound of the best.

Names of attacks are words of users: the naming of the rates is applied to all but them.
"""

from dpviz.analysis.attacks import FIRST
from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.analysis.parts.attacks import AttacksPart, ComparedAttack
from dpviz.analysis.parts.parts import ResultParts
from dpviz.audit import Difference, TprDifference

MOST_STRETCHES = 3  # that a sentence lists
HEAD = (
    "attack",
    "AUC",
    "TPR",
    "lead of this attack: AUC",
    "lead of this attack: TPR",
    "ε at least",
)
NOT_COMPUTED = "not computed"
# The curves that are compared are convex: below the steps that pictures show.
MIXED = ", once random choices between two of its thresholds are allowed"
UNKNOWN = (
    "It is not known that both scored the same records in the same order: their two intervals are "
    "compared, each at half the error probability, which holds either way."
)


def with_attacks(result: ResultParts) -> bool:
    """Return whether attacks are compared."""
    return result.sample is not None and result.sample.attacks is not None


def lowest(result: ResultParts) -> str:
    """Which measured curve is the lowest at which FPRs, and where the curves cross."""
    part = _part(result)
    names = [FIRST, *(each.name for each in part.compared)]
    runs = [(each.start, each.end, each.lowest) for each in part.stretches]
    merged: list[tuple[float, float, int]] = []  # without stretches on which all are equal
    for start, end, index in runs:
        if index is not None and merged and merged[-1][2] == index:
            merged[-1] = (merged[-1][0], end, index)
        elif index is not None:
            merged.append((start, end, index))
    if not merged:
        return "All measured curves are the same: no attack catches more members than another."
    if len(merged) == 1:
        best = _first(names[merged[0][2]])
        return f"{best} has the lowest measured curve: at every FPR no other catches more{MIXED}."
    *others, last = [(names[index], _at(result, end)) for _, end, index in merged]
    if len(merged) <= MOST_STRETCHES:
        leads = ", ".join(f"{name} up to {end}" for name, end in others)
        return f"The lowest measured curve: {leads}, {last[0]} above."
    here = next(names[index] for _, end, index in merged if result.fpr <= end)
    return (
        f"At {_at(result, result.fpr)} {here} has the lowest measured curve; the lead changes "
        f"{len(others)} times, from {others[0][1]} to {others[-1][1]}."
    )


def differences(result: ResultParts) -> str:
    """How far each attack is ahead of the first one or behind it, and how sure that is."""
    part = _part(result)
    said = [text for each in part.compared for text in _difference(each, result)]
    some = next(iter(part.compared))
    level = percent(some.tpr_difference.confidence_level)
    rate = result.naming.renamed("TPR")
    said.append(f"Each limit of the {rate} holds at {level} confidence and at every sample size.")
    if any(not each.tpr_difference.paired for each in part.compared):
        said.append(UNKNOWN)
    return " ".join(said)


def _difference(attack: ComparedAttack, result: ResultParts) -> list[str]:
    tpr, area = attack.tpr_difference, attack.auc_difference
    paired = (
        f"; of {attack.at_fpr.n_members} members {tpr.only_first} are caught by this attack alone, "
        f"{tpr.only_second} by {attack.name} alone"
        if tpr.paired
        else ""
    )
    p_value = "" if area.p_value is None else f", p = {short(upper(area.p_value))}"
    large = " (approximate: DeLong, large samples)" if area.note.startswith("approx") else ""
    return [
        f"At {_at(result, result.fpr)}, {_ahead(tpr, attack.name)}: "
        f"{result.naming.renamed('TPR')} {_limits(tpr)}{paired}.",
        f"In the AUC, {_ahead(area, attack.name)}: {_limits(area)}{p_value}{large}.",
    ]


def best_of(result: ResultParts) -> str:
    """The bound of the best of all attacks, and what the choice among them costs."""
    if result.sample is None or result.sample.attacks is None:
        return ""
    audit, n = result.sample.audit, len(result.sample.attacks.compared) + 1
    found = audit.best_of
    if found is None:
        reason = dict(audit.refused).get("best_of", "not computed yet")
        return f"The best of {n} attacks: {reason}."
    level, each = percent(found.confidence_level), percent(found.each)
    paid = f"{level} confidence, each attack tested at {each} to pay for the choice"
    if found.low <= 0:
        return f"None of the {n} attacks certifies an ε above 0 ({paid})."
    claim, delta = result.claim.claim, result.claim.delta
    allowed = claim.epsilon(delta)
    against = (
        f" That contradicts the claim, which allows at most ε = {short(upper(allowed))} at "
        f"δ = {short(delta)}."
        if found.low > allowed
        else ""
    )
    low = short(lower(found.low))
    return f"Best of {n} attacks: {found.name} certifies ε ≥ {low} ({paid}).{against}"


def table(result: ResultParts) -> list[tuple[str, ...]]:
    """A row for each attack, the first one on top."""
    part, sample = _part(result), result.sample
    if sample is None:
        return []
    bounds = sample.audit.best_of.bounds if sample.audit.best_of else {}
    low = {name: short(lower(bound.low)) for name, bound in bounds.items()}
    area, at = sample.rates.auc.value, sample.at_fpr
    first = (FIRST, short(area), percent(at.tpr), "", "", low.get(FIRST, NOT_COMPUTED))
    rows: list[tuple[str, ...]] = [first]
    for each in part.compared:
        rows.append(
            (
                each.name,
                short(each.auc),
                percent(each.at_fpr.tpr),
                _cell(each.auc_difference),
                _cell(each.tpr_difference),
                low.get(each.name, NOT_COMPUTED),
            )
        )
    return rows


def caption(result: ResultParts) -> str:
    """What the rows are about."""
    level = percent(result.spec.confidence_level)
    return (
        f"Attacks at FPR {percent(result.fpr)}; limits at {level} confidence each, the lower "
        f"bounds of ε at {level} all together."
    )


def _at(result: ResultParts, fpr: float) -> str:
    return result.naming.renamed(f"FPR {percent(fpr)}")


def _part(result: ResultParts) -> AttacksPart:
    if result.sample is None or result.sample.attacks is None:
        raise ValueError("compare must have attacks for a sentence about them, got none")
    return result.sample.attacks


def _ahead(difference: Difference, name: str) -> str:
    """Which attack is ahead for sure, if one is."""
    if difference.sign == 0:
        return f"neither this attack nor {name} is surely ahead"
    return f"{FIRST if difference.sign > 0 else name} is ahead"


def _limits(difference: Difference) -> str:
    """The measured lead of the first attack, with its limits."""
    return "difference {} (between {} and {})".format(*_written(difference))


def _cell(difference: Difference) -> str:
    """The same for a table."""
    return "{} [{}, {}]".format(*_written(difference))


def _written(difference: Difference) -> tuple[str, str, str]:
    """The measured value and its limits, rounded outwards."""
    write = percent if isinstance(difference, TprDifference) else short
    low, high = _down(difference.low), -_down(-difference.high)
    return write(difference.value), write(low), write(high)


def _down(value: float) -> float:
    """Three significant digits, no larger than the value, which may be negative."""
    return lower(value) if value >= 0 else -upper(-value)


def _first(text: str) -> str:
    return text[0].upper() + text[1:] if text.startswith(FIRST) else text

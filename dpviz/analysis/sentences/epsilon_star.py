"""Sentences about Epsilon*: the estimate, the fit behind it, and its variation by chance."""

import math

from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.parts import FitPart, ResultParts, RoundingPart
from dpviz.analysis.sentences.templates import RATIOS
from dpviz.audit import Bootstrap, EpsilonStar, PermutationTest
from dpviz.audit.epsilon_star.goodness_of_fit import ClassFit
from dpviz.audit.scores.base import ScoreKind

# What a large m1..m4 means; `near` is the end that a threshold attack takes for members.
MEANING = (
    "from the {near}, which members have more often than non-members",
    "from the {far}, which members have less often than non-members",
    "from the {far}, which members have more often than non-members",
    "from the {near}, which members have less often than non-members",
)
ENDS = {
    "loss": {"near": "low losses", "far": "high losses"},
    "score": {"near": "high scores", "far": "low scores"},
}
FORMS = {
    "empirical": "counts",
    "normal": "Normal fits",
    "mixture": "mixtures of Normal distributions",
}
TARGETS = {"paper": "the transformed losses", "none": "the losses themselves"}
NO_SCORES = "Epsilon* needs scores of members and non-members: load a sample or your own file."


def epsilon_star(result: ResultParts) -> str:
    """The estimate with its clip, cap and unclipped value, and where it comes from."""
    if result.sample is None:
        return NO_SCORES
    star = result.sample.epsilon_star.star
    notes = [f"{note[0].upper()}{note[1:]}." for note in star.notes]
    if result.sample.epsilon_star.rounding is not None:
        notes.append(_rounded(result.sample.epsilon_star.rounding))
    if star.suprema.is_empty:
        undefined = f"Epsilon* is undefined for this trained model: {star.reason}."
        return " ".join([undefined, _unclipped(star), *notes])
    error = ""
    if star.standard_error is not None:
        error = (
            f" (standard error {short(star.standard_error)}, if both distributions are Normal and "
            "the samples independent)"
        )
    parts = [
        f"Epsilon* ≈ {short(star.value)}{error} at δ = {short(star.suprema.delta)}: an estimate "
        f"for this trained model from {FORMS[star.method]}, not a bound."
    ]
    if star.reason:
        infinite = "It is infinite because " if math.isinf(star.value) else "Not certain: "
        parts.append(f"{infinite}{star.reason}.")
    elif star.suprema.gap > 0:
        gap = short(upper(star.suprema.gap))
        parts.append(f"No threshold of the fitted distributions gives more than {gap} above it.")
    parts.append(_clip(star))
    if star.value > 0:
        parts.append(_active(star, result.sample.histogram.kind))
    if star.beyond_data:
        parts.append(_extrapolated(star))
    return " ".join([*parts, *notes])


def warnings(result: ResultParts) -> str:
    """What makes a fitted Epsilon* doubtful; empty when nothing was found or nothing is fitted."""
    if result.sample is None or result.spec.method == "empirical":
        return ""
    fit, found = result.sample.fit, []
    if fit.goodness is not None and fit.goodness.rejected:
        classes = " and of the ".join(fit.goodness.rejected)
        found.append(f"the fit of the {classes} is rejected on held-out losses (p ≤ 0.05)")
    end = fit.range_end
    if end.is_influential and fit.transform == "paper":
        found.append(
            f"a single {fit.kind}, {short(end.loss)}, makes {percent(end.share)} of the range that "
            "the transform is scaled by"
        )
    star = result.sample.epsilon_star.star
    if star.beyond_data:
        found.append("the maximum is extrapolated, beyond the data")
    return f"Caution: {'; '.join(found)}." if found else ""


def fit(result: ResultParts) -> str:
    """What was fitted, and the tests on held-out losses."""
    if result.sample is None:
        return "No scores loaded: nothing to fit."
    part = result.sample.fit
    if not len(part.member_density):
        return f"No fit: {part.notes[0]}."
    if part.goodness is None:
        return (
            f"Normal distributions fitted to {TARGETS[part.transform]}, for comparison: Epsilon* "
            "is counted and does not use them. Choose a fitted form to test them."
        )
    fitted = "Mixtures of Normal" if part.method == "mixture" else "Normal"
    notes = f" ({'; '.join(part.notes)})" if part.notes else ""
    return f"{fitted} distributions fitted to {TARGETS[part.transform]}{notes}. {_tests(part)}"


def maximum_place(result: ResultParts) -> str:
    """How far out the maximum lies, where tests of fit see nothing."""
    if result.sample is None:
        return ""
    part = result.sample.fit
    if not len(part.member_quantiles):
        return f"No fit: {part.notes[0]}."
    return _place(result.sample.epsilon_star.star)


def permutation_p_value(test: PermutationTest, star: EpsilonStar) -> str:
    """The p-value, with the choices it was made for."""
    larger = round(test.p_value * (test.permuted.size + 1)) - 1
    return (
        f"In {test.permuted.size} random permutations of membership, Epsilon* "
        f"{_often(larger)} {_value(test.observed)}: p = {short(test.p_value)} (permutation test, "
        f"{_choices(star)}; exact if members and non-members are exchangeable where nothing leaks)."
    )


def bootstrap_spread(spread: Bootstrap, star: EpsilonStar) -> str:
    """The spread over resamples, and that it is no confidence interval."""
    return (
        f"Resampled {spread.resampled.size} times, Epsilon* has its central "
        f"{percent(spread.confidence_level)} between {_value(spread.low)} and "
        f"{_value(spread.high)} ({_choices(star)}): {spread.warning}."
    )


def _often(count: int) -> str:
    if count == 0:
        return "never reached"
    return "once reached" if count == 1 else f"{count} times reached"


def _value(value: float) -> str:
    return "undefined (no threshold survives the clip)" if math.isnan(value) else short(value)


def _choices(star: EpsilonStar) -> str:
    clip = star.suprema.clip
    shown = "no clip" if clip is None else f"clip {short(clip)}"
    return f"{FORMS[star.method]}, δ = {short(star.suprema.delta)}, {shown}"


def _active(star: EpsilonStar, kind: ScoreKind) -> str:
    ends = ENDS[kind]
    ratio = RATIOS[star.suprema.active]
    where = MEANING[star.suprema.active].format(**ends)
    text = f"The value comes {where} (the ratio {ratio}, {star.active} in the paper)"
    if star.suprema.is_against_attack:
        return text + (
            ": against the attack's direction. Epsilon* does not tell the directions apart."
        )
    if not star.suprema.is_member_like:
        return text + ": there the attacker learns who was not a member."
    return text + "."


def _extrapolated(star: EpsilonStar) -> str:
    return f"{_place(star)} It rests on the fitted tail alone: extrapolated."


def _place(star: EpsilonStar) -> str:
    at = star.extrapolation
    if at is None:
        return ""
    if math.isinf(at.place):
        return "Its maximum is a limit in the tail, beyond all data."
    outside = ", outside the range of all the data" if at.is_outside else ""
    return (
        f"Its maximum lies {short(abs(at.z_member))} standard deviations from the members' mean "
        f"and {short(abs(at.z_nonmember))} from the non-members'{outside}; the fit expects "
        f"{short(at.records)} records beyond it."
    )


def _tests(part: FitPart) -> str:
    goodness = part.goodness
    if goodness is None or goodness.member is None or goodness.nonmember is None:
        return "Too few losses to hold some out and test it."
    tested = [("members", goodness.member), ("non-members", goodness.nonmember)]
    shown = "; ".join(_test(name, test) for name, test in tested)
    if goodness.rejected:
        end = f"The fit of the {' and of the '.join(goodness.rejected)} is rejected (5 % level)."
    else:
        end = (
            "Not rejected (5 % level), which is not the same as right: these tests do not see the "
            "tails, where Epsilon* lies."
        )
    return f"Kolmogorov-Smirnov on held-out losses: {shown}. {end}"


def _test(name: str, test: ClassFit) -> str:
    return (
        f"{name} p = {short(test.p_value)} ({test.n_held_out} held out; the paper's two-sample "
        f"test p = {short(test.two_sample_p_value)})"
    )


def _rounded(part: RoundingPart) -> str:
    counted = f"Counted at {part.n_thresholds} thresholds of rounded scores;"
    if math.isinf(part.gap):
        return f"{counted} how much larger the maximum over all thresholds is, they do not say."
    more = f"at most {short(upper(part.gap))} larger" if part.gap > 0 else "no larger"
    return f"{counted} the maximum over all thresholds is {more}."


def _clip(star: EpsilonStar) -> str:
    clip = star.suprema.clip
    if clip is None:
        return "No clip: every threshold counts."
    if clip == 0:
        return f"The clip 0 leaves out thresholds that flag nobody or everybody. {_unclipped(star)}"
    return (
        f"Thresholds with FPR or FNR below {percent(clip)} or above {percent(1 - clip)} are left "
        f"out (clip {short(clip)}), so it cannot exceed {short(star.suprema.cap)}. "
        f"{_unclipped(star)}"
    )


def _unclipped(star: EpsilonStar) -> str:
    if star.suprema.clip is None:
        return ""
    value = star.unclipped.value
    shown = "infinite" if math.isinf(value) else short(value)
    reason = f": {star.unclipped.reason}" if star.unclipped.reason else ""
    return f"Without the clip it would be {shown}{reason}."

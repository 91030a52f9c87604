"""The numbers of an audit: exact ones for machines, rounded ones in rows for people.

The name of a number says what it is: a bound, an estimate, what chance gives, or a ceiling.
"""

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.analysis.sentences.bounds import WHOSE, at_least
from dpviz.analysis.sentences.claim import in_words
from dpviz.analysis.sentences.neighbours import under
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.roc.tpr_at_fpr import TprAtFpr
from dpviz.cli.audited import Audit
from dpviz.theory import ApproximateDP

Number = float | int | str | None
Row = tuple[str, str, str]
CONVENTION = "last_vertex"  # the definition of the TPR in `OperatingPoint`


def numbers(audit: Audit) -> dict[str, Number]:
    """Exact numbers by name; None where there is none.

    `lower_bound` and `ceiling`, both at `delta`, are statements at `confidence_level`, as are all
    that end in _low and _high. `..._estimate` were measured on this sample and bound nothing;
    `..._by_chance` are what 95 of 100 random labellings of these records do not exceed.

    `claimed_epsilon` is what the claim implies at `claimed_delta`, where it has none of its own;
    `claim_margin` is by how much the bound at `claimed_delta` exceeds it.
    """
    sample, claim = audit.sample, audit.result.claim
    found, spec, star = sample.audit, audit.result.spec, sample.epsilon_star.star
    at, reading = sample.at_fpr, _reading(audit)
    bound, test, null = found.bound, found.test, found.null
    is_claimed = audit.is_claimed
    return {
        "claimed_epsilon": claim.epsilon if is_claimed else None,
        "claimed_delta": _claimed_delta(audit) if is_claimed else None,
        "delta": claim.delta,
        "confidence_level": spec.confidence_level,
        "lower_bound": bound.low if bound else None,
        "lower_bound_method": bound.method if bound else None,
        "lower_bound_seed_spread": bound.seed_spread if bound else None,
        "claim_margin": test.margin if test and is_claimed else None,
        "claim_p_value": test.p_value if test and is_claimed else None,
        "ceiling": found.ceiling,
        "epsilon_star_estimate": star.value,
        "epsilon_star_clip": star.suprema.clip,
        "epsilon_star_cap": star.suprema.cap,
        "epsilon_star_unclipped_estimate": star.unclipped.value,
        "epsilon_star_by_chance": null.quantile("epsilon_star") if null else None,
        "raw_epsilon_estimate": null.observed["raw_epsilon"] if null else None,
        "raw_epsilon_by_chance": null.quantile("raw_epsilon") if null else None,
        "raw_epsilon_p_value": null.p_value("raw_epsilon") if null else None,
        "auc_estimate": sample.rates.auc.value,
        "auc_low": sample.rates.auc.low,
        "auc_high": sample.rates.auc.high,
        "advantage_estimate": sample.rates.advantage.value,
        "advantage_low": sample.rates.advantage.low,
        "advantage_high": sample.rates.advantage.high,
        "requested_fpr": audit.result.fpr,
        "realised_fpr": at.fpr,
        "threshold": at.threshold_in_unit,
        "true_positives": at.true_positives,
        "false_positives": at.false_positives,
        "tpr_estimate": at.tpr,
        "tpr_low": reading.interval[0],
        "tpr_high": reading.interval[1],
        "prior": spec.prior,
        "ppv_estimate": at.ppv(prior=spec.prior),
        "ppv_permitted": sample.bounds.ppv if is_claimed else None,
    }


def _claimed_delta(audit: Audit) -> float:
    claim = audit.result.claim
    return claim.claim.claimed_delta if isinstance(claim.claim, ApproximateDP) else claim.delta


def rows(audit: Audit) -> list[Row]:
    """Name, value and what the value is, rounded as in sentences."""
    return [*_claimed(audit), *_certified(audit), *_estimated(audit), *_at_fpr(audit)]


def _claimed(audit: Audit) -> list[Row]:
    if not audit.is_claimed:
        return []
    claim, given = audit.result.claim, audit.result.spec.claim
    is_own = "epsilon" in claim.claim.parameters
    epsilon = short(claim.epsilon, digits=6) if is_own else short(upper(claim.epsilon))
    return [("claimed ε", epsilon, f"{in_words(given)} {under(audit.result)}")]


def _certified(audit: Audit) -> list[Row]:
    found, level = audit.sample.audit, percent(audit.result.spec.confidence_level)
    refused = dict(found.refused)
    if found.bound is None:
        bound = "none", refused.get("bound", "")
    else:
        whose = f"of {WHOSE[found.bound.applies_to]}"
        bound = f"at least {at_least(found.bound)}", f"{level} confidence, {whose}"
    if found.ceiling is None:
        most = "none", refused.get("ceiling", "")
    else:
        how = f"{level} confidence, {BOUNDS['rank'].label}; a perfect attack's on this many records"
        most = f"at most {short(upper(found.ceiling))}", how
    return [("lower bound on ε", *bound), ("its ceiling", *most)]


def _estimated(audit: Audit) -> list[Row]:
    sample, level = audit.sample, percent(audit.result.spec.confidence_level)
    star, null, area, best = (
        sample.epsilon_star.star,
        sample.audit.null,
        sample.rates.auc,
        sample.rates.advantage,
    )
    clip = star.suprema.clip
    how = "no clip" if clip is None else f"clip {short(clip)}, cap {short(star.suprema.cap)}"
    found = [("Epsilon*", short(star.value), f"estimate, no bound; {how}")]
    if null is not None:
        most = short(upper(null.quantile("raw_epsilon")))
        raw = short(null.observed["raw_epsilon"])
        found += [
            ("raw ε", raw, "estimate, no bound; largest finite log ratio"),
            ("raw ε by chance", f"at most {most}", "in 95 of 100 cases where nothing leaks"),
        ]
    about = ", approximate" * area.is_approximate
    return [
        *found,
        ("AUC", short(area.value), f"estimate; {_limits(area.low, area.high, level)}{about}"),
        ("advantage", short(best.value), f"estimate; {_limits(best.low, best.high, level)}"),
    ]


def _at_fpr(audit: Audit) -> list[Row]:
    sample, spec = audit.sample, audit.result.spec
    at, level = sample.at_fpr, percent(spec.confidence_level)
    realised = f"estimate at realised FPR {percent(at.fpr)}"
    low, high = _reading(audit).interval
    limits = f"{percent(lower(low))} to {percent(upper(high))} at {level}"
    permitted = ""
    if audit.is_claimed:
        permitted = f"; the claim allows at most {percent(upper(sample.bounds.ppv))}"
    ppv = percent(at.ppv(prior=spec.prior))
    return [
        (f"TPR at FPR {percent(audit.result.fpr)}", percent(at.tpr), f"{realised}; {limits}"),
        (f"PPV at prior {percent(spec.prior)}", ppv, f"{realised}{permitted}"),
    ]


def _reading(audit: Audit) -> TprAtFpr:
    return next(each for each in audit.sample.rates.tpr_at_fpr if each.convention == CONVENTION)


def _limits(low: float, high: float, level: str) -> str:
    return f"{short(lower(low))} to {short(upper(high))} at {level}"

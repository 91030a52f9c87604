"""Every golden case of a function that exists, through its public name."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import gamma

from benchmarks.methods.from_counts import gdp
from benchmarks.methods.joint_posterior import joint_beta_cdf
from dpviz import audit, theory
from dpviz.audit import AttackScores
from dpviz.audit.bounds.fixed_threshold import ErrorCounts
from dpviz.audit.epsilon_star import (
    epsilon_star_of,
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
    transform_losses,
)
from dpviz.audit.models.aggregate import aggregate, log_mean_exp
from dpviz.audit.roc import bands, intervals
from dpviz.theory.mechanisms.composed import kairouz_oh_viswanath
from dpviz.theory.statements import smallest_mu

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())["functions"]


def number(text: Any) -> float:
    return float(text) if text is not None else math.nan


def region(case: dict[str, Any]) -> theory.PrivacyRegion:
    return theory.PrivacyRegion(epsilon=number(case["eps"]), delta=case["delta"])


def point(case: dict[str, Any]) -> dict[str, float]:
    return {"fpr": case["fpr"], "fnr": case["fnr"]}


def claim(case: dict[str, Any], suffix: str = "") -> theory.ApproximateDP:
    return theory.ApproximateDP(epsilon=number(case["eps" + suffix]), delta=case["delta" + suffix])


def region_margins(case: dict[str, Any]) -> dict[str, Any]:
    r = region(case)
    return {
        "margins": r.margins(**point(case)),
        "distances": r.distances(**point(case)),
        "inside": r.contains(**point(case)),
    }


def eps_from_point(case: dict[str, Any]) -> dict[str, Any]:
    arguments = point(case) | {"delta": case["delta"]}
    return {
        "e": theory.implied_epsilons(**arguments),
        "eps_min": theory.epsilon_at(**arguments),
    }


def empirical(case: dict[str, Any]) -> dict[str, Any]:
    scores = AttackScores.from_losses(member=case["train"], nonmember=case["pop"])
    star = audit.epsilon_star(scores, delta=case["delta"], clip=case.get("clip"))
    return {"eps": star.value, "log_m": star.log_ratios}


def normals(case: dict[str, Any]) -> dict[str, Any]:
    star = epsilon_star_of_normals(
        nonmember=(case["mu_pop"], case["sd_pop"]),
        member=(case["mu_train"], case["sd_train"]),
        delta=case["delta"],
        clip=case.get("clip"),
    )
    return {"eps": star.value, "log_m": star.log_ratios}


def standard_error(case: dict[str, Any]) -> dict[str, Any]:
    star = epsilon_star_of_normals(
        nonmember=(case["mu_pop"], case["sd_pop"]),
        member=(case["mu_train"], case["sd_train"]),
        delta=case["delta"],
    )
    error = star.standard_error(n_nonmembers=case["m"], n_members=case["n"])
    return {"eps": star.value, "active": star.index_of_largest + 1, "se": error}


def mixtures(case: dict[str, Any]) -> dict[str, Any]:
    star = epsilon_star_of_mixtures(
        nonmember=case["pop"], member=case["train"], delta=case["delta"]
    )
    # The golden file leaves out what is not above 1.
    return {"eps": star.value, "log_m": np.where(star.log_ratios > 0, star.log_ratios, np.nan)}


def gammas(case: dict[str, Any]) -> dict[str, Any]:
    star = epsilon_star_of(
        nonmember=gamma(case["k_pop"]),
        member=gamma(case["k_train"]),
        delta=case["delta"],
        clip=case.get("clip"),
    )
    m = star.log_ratios
    return {"eps": star.value, "log_m": m, "log_m1": m[0], "log_m2": m[1]}


def clopper_pearson(case: dict[str, Any], side: str) -> dict[str, Any]:
    arguments = {"confidence_level": 1 - case["a"], "side": side}
    return {side: intervals.clopper_pearson(case["x"], case["n"], **arguments)}


def from_counts(case: dict[str, Any]) -> dict[str, Any]:
    bound = audit.lower_bound_from_counts(
        false_positives=case["fp"],
        n_nonmembers=case["m"],
        false_negatives=case["fn"],
        n_members=case["n"],
        delta=case["delta"],
        confidence_level=1 - case["a"],
    )
    limits = bound.evidence[0]
    upper = {"t_upper": limits.fpr_upper, "eta_upper": limits.fnr_upper}
    return upper | {"eps_lb": bound.low}


def gaussian_bound(case: dict[str, Any]) -> dict[str, Any]:
    counts = ErrorCounts(
        false_positives=case["fp"],
        n_nonmembers=case["m"],
        false_negatives=case["fn"],
        n_members=case["n"],
    )
    limits = counts.upper_limits(1 - case["a"])
    upper = {"t_upper": limits.fpr_upper, "eta_upper": limits.fnr_upper}
    return upper | {"eps": gdp(counts, case["delta"], 1 - case["a"])}


def joint_beta(case: dict[str, Any]) -> dict[str, Any]:
    cdf = joint_beta_cdf(
        case["eps"],
        false_positives=case["fp"],
        true_negatives=case["tn"],
        false_negatives=case["fn"],
        true_positives=case["tp"],
        delta=case["delta"],
    )
    return {"cdf": cdf}


def one_run(case: dict[str, Any]) -> dict[str, Any]:
    counts = {"canaries": case["m"], "guesses": case["r"], "correct": case["v"]}
    if "eps" in case:
        return {"p": audit.bounds.one_run_p_value(case["eps"], **counts, delta=case["delta"])}
    low = audit.bounds.one_run_epsilon(
        **counts, delta=case["delta"], confidence_level=1 - case["a"]
    )
    return {"eps": low}


def log_mean(case: dict[str, Any]) -> dict[str, Any]:
    values = case["xs"]
    # One case is of negative numbers, which no Epsilon* is.
    legal = min(values) >= 0
    return {"value": aggregate(values).log_mean_exp if legal else log_mean_exp(values)}


def group_two(case: dict[str, Any]) -> dict[str, Any]:
    converted = theory.ApproximateDP(
        epsilon=case["eps"], delta=case["delta"], adjacency="add_remove"
    ).to_replace_one()
    return converted.parameters | {"eps": converted.parameters["epsilon"]}


def transform(case: dict[str, Any]) -> dict[str, Any]:
    member, nonmember = transform_losses(member=case["train"], nonmember=case["pop"])
    return {"train": member, "pop": nonmember}


def binary_loss(case: dict[str, Any]) -> dict[str, Any]:
    return {"loss": audit.losses_from_probabilities([case["p"]], [case["y"]])[0]}


def gaussian(case: dict[str, Any]) -> theory.GaussianDP:
    return theory.GaussianDP(mu=case["mu"])


def laplace(case: dict[str, Any]) -> theory.LaplaceMechanism:
    return theory.LaplaceMechanism(epsilon=case["s"])


def discrete_laplace(case: dict[str, Any]) -> theory.DiscreteLaplaceMechanism:
    return theory.DiscreteLaplaceMechanism(scale=case["scale"], sensitivity=case["shift"])


def sampled(base: theory.TradeoffFunction, case: dict[str, Any]) -> theory.Subsampled:
    return theory.Subsampled(base=base, sampling_rate=case["p"])


def piecewise(case: dict[str, Any]) -> dict[str, Any]:
    f, alpha = theory.PiecewiseLinear(case["knots"]), case["alpha"]
    return {
        "f": f.beta(alpha),
        "inverse": f.inverse().beta(alpha),
        "sym_max": f.max_symmetrized().beta(alpha),
        "sym_min_convex": f.min_symmetrized().beta(alpha),
    }


def piecewise_delta(case: dict[str, Any]) -> dict[str, Any]:
    f = theory.PiecewiseLinear(case["knots"])
    return {"delta": f.delta(case["eps"]), "delta_reversed": f.inverse().delta(case["eps"])}


def public_mixture(case: dict[str, Any]) -> dict[str, Any]:
    parts = [
        theory.ApproximateDP(epsilon=e, delta=d)
        for e, d in zip(case["eps0"], case["delta0"], strict=True)
    ]
    mean = sum(w * f.beta(case["alpha"]) for w, f in zip(case["w"], parts, strict=True))
    f = theory.PublicMixture(parts, weights=case["w"])
    return {"f": f.beta(case["alpha"]), "pointwise_average": mean}


def metrics(claim: theory.TradeoffFunction, case: dict[str, Any]) -> dict[str, Any]:
    at = {"fpr": case["alpha"], "prior": case["p"]}
    risk = theory.risk
    return {
        "ppv": risk.ppv(claim, **at),
        "npv": risk.npv(claim, **at),
        "odds": risk.posterior_odds(claim, **at),
        "acc": risk.accuracy(claim, **at),
        "f1": risk.f1(claim, **at),
        "adv": risk.advantage(claim, fpr=case["alpha"]),
    }


def central_limit(f: theory.TradeoffFunction, case: dict[str, Any]) -> dict[str, Any]:
    found = theory.clt(f, times=case["n"])
    names = ("kl", "kappa2", "kappa3bar", "mu", "gamma")
    return {name: getattr(found, name) for name in names}


def kov(case: dict[str, Any]) -> dict[str, Any]:
    pairs = kairouz_oh_viswanath(epsilon=case["eps"], delta=case["delta"], times=case["k"])
    return {"pairs": pairs}


def noise(case: dict[str, Any], method: Any) -> dict[str, Any]:
    found = theory.calibration.gaussian_noise(
        epsilon=number(case["eps"]),
        delta=case["delta"],
        sensitivity=case["sens"],
        method=method,
    )
    return {"sigma": found}


def vector(case: dict[str, Any]) -> dict[str, Any]:
    return {"norm": case["norm"], "dimension": case["dim"], "sensitivity": case["sens"]}


def posterior_bounds(case: dict[str, Any]) -> dict[str, Any]:
    low, high = theory.risk.posterior_bounds(epsilon=case["eps"], prior=case["p"])
    return {"lower": low, "upper": high}


def logit_loss(case: dict[str, Any]) -> dict[str, Any]:
    return {"loss": audit.losses_from_logits([case["logits"]], [case["y"]])[0]}


PUBLIC: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "region_vertices": lambda c: {"vertices": region(c).vertices},
    "region_area": lambda c: {"area": region(c).area},
    "region_margins": region_margins,
    "eps_from_point": eps_from_point,
    "delta_from_point": lambda c: {"delta": theory.delta_at(**point(c), epsilon=number(c["eps"]))},
    "f_eps_delta": lambda c: {"f": claim(c).beta(c["alpha"])},
    "ed_delta": lambda c: {"delta": claim(c, "0").delta(c["eps"])},
    "advantage_at": lambda c: {"adv": theory.risk.advantage(claim(c), fpr=c["alpha"])},
    "advantage_sup_ed": lambda c: {"adv": theory.risk.advantage(claim(c))},
    "metrics_ed": lambda c: metrics(claim(c), c),
    "ppv_limit_ed": lambda c: {"ppv": theory.risk.ppv_limit(claim(c), prior=c["p"])},
    "group_two": group_two,
    "gauss_tradeoff": lambda c: {"f": gaussian(c).beta(c["alpha"])},
    "gauss_tradeoff_log": lambda c: {"log_f": gaussian(c).log_beta(c["log_alpha"])},
    "gauss_delta": lambda c: {
        "delta": gaussian(c).delta(c["eps"]),
        "log_delta": gaussian(c).log_delta(c["eps"]),
    },
    "gauss_eps": lambda c: {"eps": gaussian(c).epsilon(c["delta"])},
    "laplace_tradeoff": lambda c: {"f": laplace(c).beta(c["alpha"])},
    "laplace_delta": lambda c: {"delta": laplace(c).delta(c["eps"])},
    "laplace_eps": lambda c: {"eps": laplace(c).epsilon(c["delta"])},
    "krr_tradeoff": lambda c: {
        "f": theory.RandomizedResponse(epsilon=c["eps"], categories=c["k"]).beta(c["alpha"])
    },
    "krr_delta": lambda c: {
        "delta": theory.RandomizedResponse(epsilon=c["eps0"], categories=c["k"]).delta(c["eps"])
    },
    "discrete_laplace_tradeoff": lambda c: {
        "f": discrete_laplace(c).beta(c["alpha"]),
        "knots": discrete_laplace(c).knots,
    },
    "discrete_laplace_delta": lambda c: {"delta": discrete_laplace(c).delta(c["eps"])},
    "uniform_tradeoff": lambda c: {
        "f": theory.UniformMechanism(width=c["width"], sensitivity=c["shift"]).beta(c["alpha"])
    },
    "subsample_gauss_tradeoff": lambda c: {"f": sampled(gaussian(c), c).beta(c["alpha"])},
    "subsample_laplace_tradeoff": lambda c: {"f": sampled(laplace(c), c).beta(c["alpha"])},
    "subsample_gauss_delta": lambda c: {"delta": sampled(gaussian(c), c).delta(c["eps"])},
    "discrete_tradeoff": lambda c: {"knots": theory.DiscretePair(c["P"], c["Q"]).knots},
    "pl_inverse": piecewise,
    "pl_delta": piecewise_delta,
    "lower_hull": lambda c: {"knots": theory.PiecewiseLinear(c["points"]).convexified().knots},
    "public_mixture": public_mixture,
    "gauss_compose": lambda c: {
        "mu": smallest_mu(theory.Composed([theory.GaussianDP(mu=m) for m in c["mus"]]))
    },
    "kov_composition": kov,
    "rr_compose_delta": lambda c: {
        "delta": theory.Composed([theory.PureDP(epsilon=c["eps0"])] * c["k"]).delta(c["eps"])
    },
    "gdp_of_laplace": lambda c: {"mu": smallest_mu(laplace(c))},
    "gdp_of_pure": lambda c: {"mu": smallest_mu(theory.PureDP(epsilon=c["eps"]))},
    "clt_pure": lambda c: central_limit(theory.PureDP(epsilon=c["eps"]), c),
    "clt_laplace": lambda c: central_limit(laplace(c), c),
    "advantage_sup_gauss": lambda c: {"adv": theory.risk.advantage(gaussian(c))},
    "advantage_sup_laplace": lambda c: {"adv": theory.risk.advantage(laplace(c))},
    "metrics_gauss": lambda c: metrics(gaussian(c), c),
    "metrics_laplace": lambda c: metrics(laplace(c), c),
    "best_accuracy_gauss": lambda c: {"acc": theory.risk.best_accuracy(gaussian(c), prior=c["p"])},
    "best_accuracy_ed": lambda c: {"acc": theory.risk.best_accuracy(claim(c), prior=c["p"])},
    "expected_posterior_ed": lambda c: {
        "post": theory.risk.expected_posterior(claim(c), prior=c["p"])
    },
    "expected_posterior_gauss": lambda c: {
        "post": theory.risk.expected_posterior(gaussian(c), prior=c["p"])
    },
    "expected_posterior_laplace": lambda c: {
        "post": theory.risk.expected_posterior(laplace(c), prior=c["p"])
    },
    "posterior_bounds_pure": posterior_bounds,
    "agm_sigma": lambda c: noise(c, "analytic"),
    "classical_sigma": lambda c: noise(c, "classical"),
    "tail_sigma": lambda c: noise(c, "tail"),
    "laplace_vector_scale": lambda c: {
        "b": theory.calibration.laplace_scale(epsilon=c["eps"], **vector(c))
    },
    "gauss_vector_mu": lambda c: {
        "mu": theory.calibration.gaussian_mu(noise=c["sigma"], **vector(c))
    },
    "empirical_epsstar": empirical,
    "transform_phi": transform,
    "logit_loss_binary": binary_loss,
    "logit_loss_logits": logit_loss,
    "normal_epsstar": normals,
    "normal_epsstar_clip": normals,
    "normal_epsstar_se": standard_error,
    "gmm_epsstar": mixtures,
    "gamma_epsstar": gammas,
    "gamma_epsstar_clip": gammas,
    "cp_upper": lambda c: clopper_pearson(c, "upper"),
    "cp_lower": lambda c: clopper_pearson(c, "lower"),
    "jeffreys_upper": lambda c: {
        "upper": intervals.jeffreys(c["x"], c["n"], confidence_level=1 - c["a"], side="upper")
    },
    "eps_lower_cp": from_counts,
    "gdp_lower": gaussian_bound,
    "zb_posterior_cdf": joint_beta,
    "dkw_one_sided": lambda c: {"c": bands.dkw_margin(c["n"], confidence_level=1 - c["a"])},
    "ell_local_level": lambda c: {"local": bands.local_level(c["n"], confidence_level=1 - c["a"])},
    "noncross_lower": lambda c: {"prob": bands.noncrossing_probability(c["b"])},
    "one_run_pvalue": one_run,
    "one_run_eps": one_run,
    "log_mean_exp": log_mean,
}


def agrees(got: Any, wanted: Any, tolerance: dict[str, float]) -> bool:
    """Whether two numbers or arrays of one shape are equal within a tolerance."""
    a, b = np.asarray(got, float), np.asarray(wanted, float)
    return a.shape == b.shape and np.allclose(a, b, **tolerance, equal_nan=True)


@pytest.mark.parametrize("name", PUBLIC)
def test_golden(name: str) -> None:
    wrong = []
    for case in GOLDEN[name]["cases"]:
        got, wanted = PUBLIC[name](case["in"]), case["out"]
        assert got.keys() & wanted.keys(), case
        wrong += [
            f"{case['in']}: {key} = {got[key]}, expected {wanted[key]}"
            for key in got.keys() & wanted.keys()
            if not agrees(got[key], wanted[key], GOLDEN[name]["tol"])
        ]
    assert not wrong, "\n".join(wrong)

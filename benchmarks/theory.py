"""Trade-off curves beside `scipy.stats` and dp-accounting: ``python -m benchmarks.theory``.

Closed forms: a curve of 401 points next to ``scipy.stats.norm`` for the Gaussian. DP-SGD: the whole
curve next to dp-accounting's building, composing and profile at an interval of 1e-3, and the noise
for a target next to its calibration. Every curve is built anew.
"""

from collections.abc import Callable, Iterator

import numpy as np
from dp_accounting import dp_event
from dp_accounting.mechanism_calibration import calibrate_dp_mechanism
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution
from scipy.stats import norm

from benchmarks.harness import QUICK, Peer, Row, best, show
from dpviz import read_claim
from dpviz.theory import (
    ApproximateDP,
    Composed,
    GaussianDP,
    LaplaceMechanism,
    RandomizedResponse,
    Subsampled,
    SubsampledGaussian,
    TradeoffFunction,
    ZeroConcentratedDP,
    calibration,
    for_risk,
)
from dpviz.theory.statements import gdp_statement, ways_of_stating

ALPHA = np.linspace(0, 1, 401)
CLOSED_FORMS: dict[str, Callable[[], TradeoffFunction]] = {
    "(epsilon, delta)": lambda: ApproximateDP(epsilon=1.0, delta=1e-5),
    "Gaussian": lambda: GaussianDP(mu=1.0),
    "Laplace": lambda: LaplaceMechanism(epsilon=1.0),
    "randomized response, 5": lambda: RandomizedResponse(epsilon=1.0, categories=5),
    "zero-concentrated": lambda: ZeroConcentratedDP(rho=0.5),
    "subsampled Gaussian": lambda: Subsampled(base=GaussianDP(mu=1.0), sampling_rate=0.3),
}
SETTINGS = ((1.0, 0.01, 1000), (0.8, 0.2, 20), (1.0, 0.02, 1000), (9.4, 0.328, 2000))


def closed_forms() -> Iterator[Row]:
    """401 points of each closed form."""
    peer = Peer.timed("scipy.stats.norm", lambda: norm.cdf(norm.ppf(1 - ALPHA) - 1.0))
    for name, build in CLOSED_FORMS.items():
        seconds = best(lambda make=build: make().beta(ALPHA))  # type: ignore[misc]
        yield Row(f"401 points, {name}", seconds, peer)


def dp_sgd(noise: float, rate: float, steps: int) -> Row:
    """The curve of DP-SGD, to the accuracy it states."""
    f = SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=steps)

    def ours() -> None:
        SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=steps).draw()

    def theirs() -> object:
        pld = privacy_loss_distribution.from_gaussian_mechanism(
            noise, sampling_prob=rate, value_discretization_interval=1e-3
        )
        return pld.self_compose(steps).get_delta_for_epsilon(np.linspace(0, 8, 1000))

    work = f"DP-SGD, noise {noise:g}, rate {rate:g}, {steps} steps"
    peer = Peer.timed("dp-accounting", theirs)
    return Row(work, best(ours), peer, f"stated error {f.error:.1e}")


def statements() -> Iterator[Row]:
    """What is stated of DP-SGD and of noise, and what reading a loss distribution takes."""
    pld = privacy_loss_distribution.from_gaussian_mechanism(1.0)
    peer = Peer.timed("dp-accounting, delta", lambda: pld.get_delta_for_epsilon(1.0))
    sgd = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    sgd.draw()
    yield Row("the mu of DP-SGD", best(lambda: gdp_statement(sgd)), peer)
    yield Row("DP-SGD in every way of stating", best(lambda: ways_of_stating(sgd)), peer)
    yield Row("read_claim of a loss distribution", best(lambda: read_claim(pld)), peer)


def compositions() -> Iterator[Row]:
    """A profile of many parts, beside the same of one of them."""
    many = 1_000 if QUICK else 100_000
    peer = Peer.timed("one part", lambda: LaplaceMechanism(epsilon=0.001).delta(0.1))
    part = LaplaceMechanism(epsilon=0.001)
    rates = np.linspace(0.005, 0.015, many // 1000)
    for name, make in {
        f"{many} times one part": lambda: [part] * many,
        f"{many} equal parts": lambda: [LaplaceMechanism(epsilon=0.001) for _ in range(many)],
        f"{many // 1000} different parts": lambda: [LaplaceMechanism(epsilon=r) for r in rates],
        f"{many} different Gaussians": lambda: [GaussianDP(mu=m / many) for m in range(1, many)],
    }.items():
        parts = make()
        yield Row(name, best(lambda p=parts: Composed(p).delta(0.1)), peer)  # type: ignore[misc]


def noise_for_a_target(rate: float, steps: int) -> Iterator[Row]:
    """The noise of DP-SGD for (1, 1e-5)-DP."""
    target = {"epsilon": 1.0, "delta": 1e-5}

    def mechanism(noise: float) -> SubsampledGaussian:
        return SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=steps)

    def event(noise: float) -> dp_event.DpEvent:
        sampled = dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(noise))
        return dp_event.SelfComposedDpEvent(sampled, steps)

    def theirs() -> float:
        return float(calibrate_dp_mechanism(PLDAccountant, event, *target.values()))

    peer = Peer.timed("calibrate_dp_mechanism", theirs, repeats=2)
    for name, ours in {
        "for_risk": lambda: for_risk(mechanism(1.0), "noise_multiplier", **target).noise_multiplier,
        "noise_for": lambda: calibration.noise_for(mechanism, **target),
    }.items():
        also = f"{ours():.6f} here, {theirs():.6f} there"
        yield Row(f"{name}, rate {rate:g}, {steps} steps", best(ours, repeats=2), peer, also)


def rows() -> Iterator[Row]:
    """Closed forms, statements, compositions, noise for a target, then DP-SGD."""
    yield from closed_forms()
    yield from statements()
    yield from compositions()
    for rate, steps in ((0.01, 1000),) if QUICK else ((0.01, 1000), (0.004, 15_000)):
        yield from noise_for_a_target(rate, steps)
    for setting in SETTINGS[: 2 if QUICK else None]:
        yield dp_sgd(*setting)


if __name__ == "__main__":
    show(rows())

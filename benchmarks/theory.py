"""Trade-off curves beside `scipy.stats` and dp-accounting: ``python -m benchmarks.theory``.

Closed forms: a curve of 401 points next to ``scipy.stats.norm`` for the Gaussian. DP-SGD: the whole
curve next to dp-accounting's building, composing and profile at an interval of 1e-3. Every curve is
built anew.
"""

from collections.abc import Callable, Iterator

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import norm

from benchmarks.harness import QUICK, Peer, Row, best, show
from dpviz import read_claim
from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    RandomizedResponse,
    Subsampled,
    SubsampledGaussian,
    TradeoffFunction,
    ZeroConcentratedDP,
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


def rows() -> Iterator[Row]:
    """Closed forms, statements, then DP-SGD."""
    yield from closed_forms()
    yield from statements()
    for setting in SETTINGS[: 2 if QUICK else None]:
        yield dp_sgd(*setting)


if __name__ == "__main__":
    show(rows())

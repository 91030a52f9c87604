"""Time trade-off curves, as ratios to peers on the same machine.

Run with dpviz, dp-accounting and, if wanted, riskcal installed::

    pip install -e '.[accounting]' riskcal
    python benchmarks/theory.py

Closed forms: a curve of 401 points next to ``scipy.stats.norm`` doing the same for the Gaussian,
and next to riskcal where it has the function. DP-SGD: the whole curve next to dp-accounting's
building, composing and profile at an interval of 1e-3. Each figure is the best of a few runs; every
curve is built anew.
"""

from collections.abc import Callable

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from scipy import stats
from timing import best

from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    RandomizedResponse,
    Subsampled,
    SubsampledGaussian,
    TradeoffFunction,
)

ALPHA = np.linspace(0, 1, 401)
CLOSED_FORMS: dict[str, Callable[[], TradeoffFunction]] = {
    "(epsilon, delta)": lambda: ApproximateDP(epsilon=1.0, delta=1e-5),
    "Gaussian": lambda: GaussianDP(mu=1.0),
    "Laplace": lambda: LaplaceMechanism(epsilon=1.0),
    "randomized response, 5": lambda: RandomizedResponse(epsilon=1.0, categories=5),
    "subsampled Gaussian": lambda: Subsampled(base=GaussianDP(mu=1.0), sampling_rate=0.3),
}
SETTINGS = [(1.0, 0.01, 1000), (0.8, 0.2, 20), (1.0, 0.02, 1000), (9.4, 0.328, 2000)]


def riskcal_curves() -> dict[str, Callable[[], object]]:
    """What riskcal has of the closed forms, if it is installed."""
    try:
        from riskcal import analysis
    except ImportError:
        return {}
    return {
        "(epsilon, delta)": lambda: analysis.get_beta_from_adp(1.0, 1e-5, ALPHA),
        "Gaussian": lambda: analysis.get_beta_from_gdp(1.0, ALPHA),
    }


def bench_closed_forms() -> None:
    """401 points of each closed form."""
    norm = stats.norm
    scipy = best(lambda: norm.cdf(norm.ppf(1 - ALPHA) - 1.0))
    peers = riskcal_curves()
    print(f"401 points             microseconds  / scipy.stats ({1e6 * scipy:.0f} us)  / riskcal")
    for name, build in CLOSED_FORMS.items():
        seconds = best(lambda make=build: make().beta(ALPHA))  # type: ignore[misc]
        ratio = f"{seconds / best(peers[name]):.2f}" if name in peers else "-"
        print(f"  {name:<24}{1e6 * seconds:8.1f}{seconds / scipy:18.2f}{ratio:>20}")


def bench_dp_sgd() -> None:
    """The curve of DP-SGD, to the accuracy it states."""
    print("\nDP-SGD (noise, rate, steps)  milliseconds  / dp-accounting  stated error")
    epsilon = np.linspace(0, 8, 1000)
    for noise, rate, steps in SETTINGS:

        def ours(noise: float = noise, rate: float = rate, steps: int = steps) -> TradeoffFunction:
            f = SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=steps)
            f.draw()
            return f

        def theirs(noise: float = noise, rate: float = rate, steps: int = steps) -> object:
            pld = privacy_loss_distribution.from_gaussian_mechanism(
                noise, sampling_prob=rate, value_discretization_interval=1e-3
            )
            return pld.self_compose(steps).get_delta_for_epsilon(epsilon)

        seconds, peer = best(ours, 5), best(theirs, 5)
        setting = f"({noise:g}, {rate:g}, {steps})"
        print(f"  {setting:<26}{1e3 * seconds:10.1f}{seconds / peer:15.2f}{ours().error:15.1e}")


if __name__ == "__main__":
    bench_closed_forms()
    bench_dp_sgd()

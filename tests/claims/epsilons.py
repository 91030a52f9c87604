"""The epsilons that dp-accounting and Opacus state, by accountant, relation and mechanism.

``python -m tests.claims.epsilons`` writes `recorded/epsilons.json`. It needs both packages; Opacus'
accountants are loaded without torch. `test_readers.py` reads the same accountants.
"""

import json
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

import dp_accounting as dpa
from dp_accounting import dp_event as events
from dp_accounting import pld, rdp

PATH = Path(__file__).parent / "recorded" / "epsilons.json"
DELTA = 1e-5
FINE = 2e-5  # between the losses of epsilons below the truth; dp-accounting's own is 1e-4
ACCOUNTANTS = {"PLD": pld.PLDAccountant, "RDP": rdp.RdpAccountant}
RELATIONS = ("ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL")
times, gaussian = events.SelfComposedDpEvent, events.GaussianDpEvent
MECHANISMS: dict[str, Any] = {
    "Gaussian": gaussian(1.0),
    "ten Gaussians": times(gaussian(4.0), 10),
    "Laplace": events.LaplaceDpEvent(1.5),
    "four Laplace": times(events.LaplaceDpEvent(3.0), 4),
    "discrete Laplace": times(events.DiscreteLaplaceDpEvent(0.25, 2), 3),
    "randomized response": events.RandomizedResponseDpEvent(0.5, 3),
    "Gaussian and Laplace": events.ComposedDpEvent([gaussian(2.0), events.LaplaceDpEvent(2.0)]),
    "all sampled": events.PoissonSampledDpEvent(1.0, gaussian(1.0)),
    "nearly all sampled": events.PoissonSampledDpEvent(0.999, gaussian(1.0)),
    "DP-SGD": times(events.PoissonSampledDpEvent(0.01, gaussian(1.0)), 1000),
    "DP-SGD at a high rate": times(events.PoissonSampledDpEvent(0.2, gaussian(3.0)), 50),
    "Poisson Laplace": events.PoissonSampledDpEvent(0.1, events.LaplaceDpEvent(1.0)),
    "fixed size": times(events.SampledWithoutReplacementDpEvent(60_000, 256, gaussian(1.0)), 1000),
    "as many sampled": times(events.PoissonSampledDpEvent(256 / 60_000, gaussian(1.0)), 1000),
    "zCDP": times(events.ZCDpEvent(0.1), 5),
    "tree": times(events.SingleEpochTreeAggregationDpEvent(6.0, [7, 16]), 3),
    "truncated": events.TruncatedSubsampledGaussianDpEvent(1000, 0.01, 20, 1.0),
    "repeat and select": events.RepeatAndSelectDpEvent(gaussian(5.0), 2.0, 1.0),
}
OPACUS: dict[str, Any] = {"noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 1000}


def composed(accountant: str, relation: str, mechanism: str) -> Any:
    """The accountant after the mechanism; None if dp-accounting has no guarantee for it."""
    made = ACCOUNTANTS[accountant](neighboring_relation=dpa.NeighboringRelation[relation])
    try:
        return made.compose(MECHANISMS[mechanism])
    except dpa.UnsupportedEventError:
        return None


CONSTRUCTORS = (
    *("from_gaussian_mechanism", "from_laplace_mechanism", "from_discrete_laplace_mechanism"),
    *("from_randomized_response", "identity"),
)


@contextmanager
def optimistic() -> Iterator[None]:
    """Within it, the losses of PLDs are rounded down, on a finer grid: epsilons below the truth."""
    made = import_module("dp_accounting.pld.privacy_loss_distribution")
    before = {name: getattr(made, name) for name in CONSTRUCTORS}

    def rounded_down(function: Callable[..., Any], **given: Any) -> Any:
        given |= {"pessimistic_estimate": False, "value_discretization_interval": FINE}
        if "use_connect_dots" in signature(function).parameters:
            given["use_connect_dots"] = False
        return function(**given)

    try:
        for name, function in before.items():
            setattr(made, name, partial(rounded_down, function))
        yield
    finally:
        for name, function in before.items():
            setattr(made, name, function)


def dp_accounting_epsilons() -> dict[str, Any]:
    found = {}
    for accountant in ACCOUNTANTS:
        for relation in RELATIONS:
            for mechanism in MECHANISMS:
                made = composed(accountant, relation, mechanism)
                if made is None:
                    continue
                stated = {"at_most": float(made.get_epsilon(DELTA))}
                # To replace by a blank record is to add one, but for randomized response.
                is_same = relation == "REPLACE_SPECIAL" and mechanism != "randomized response"
                if accountant == "PLD" and mechanism != "truncated" and not is_same:
                    with optimistic():
                        least = composed(accountant, relation, mechanism).get_epsilon(DELTA)
                    stated["at_least"] = float(least)
                found[f"{accountant}/{relation}/{mechanism}"] = stated
    return found


def opacus_accountant(name: str, *, noise_multiplier: float, sample_rate: float, steps: int) -> Any:
    """An accountant of Opacus after DP-SGD; without torch, which accountants do not need."""
    if "opacus" not in sys.modules:
        found = find_spec("opacus")
        assert found is not None
        sys.modules["opacus"] = package = types.ModuleType("opacus")
        package.__path__ = list(found.submodule_search_locations or ())
        sys.modules["opacus.optimizers"] = optimizers = types.ModuleType("opacus.optimizers")
        optimizers.DPOptimizer = optimizers.AdaClipDPOptimizer = object
    made = getattr(import_module("opacus.accountants"), name)()
    for _ in range(steps):
        made.step(noise_multiplier=noise_multiplier, sample_rate=sample_rate)
    return made


def opacus_epsilons() -> dict[str, Any]:
    # PRV's epsilon is above the truth by at most its eps_error, RDP's by an unknown amount.
    limits = {"RDPAccountant": "at_most", "PRVAccountant": "at_most", "GaussianAccountant": "about"}
    return {
        f"Opacus/{name}": {limit: float(opacus_accountant(name, **OPACUS).get_epsilon(DELTA))}
        for name, limit in limits.items()
    }


def main() -> None:
    warnings.simplefilter("ignore")
    rows = dp_accounting_epsilons() | opacus_epsilons()
    written = {
        "script": "tests/claims/epsilons.py",
        "versions": {name: version(name) for name in ("dp-accounting", "opacus")},
        "delta": DELTA,
        "epsilons": rows,
    }
    PATH.write_text(json.dumps(written, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

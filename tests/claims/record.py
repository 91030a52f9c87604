"""Record how other tools' objects look, and the numbers that they give for themselves.

Run in an environment of its own, with the packages of `PACKAGES` and numpy, scipy and typing
extensions, from the root of the project: ``python -m tests.claims.record``. It writes
`recorded/objects.json`: for each object its class, the attributes and answers that the reader
uses, and epsilons and FNRs that the tool states. `test_recorded.py` builds objects of the same
shape from it.
"""

import datetime
import json
import sys
import types
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("dp-accounting", "opendp", "riskcal", "prv-accountant", "diffprivlib")
DELTAS = (1e-3, 1e-5, 1e-8)
FPRS = (1e-3, 0.01, 0.1)


def event_state(event: Any) -> dict[str, Any]:
    """Class and numbers of an event, and the events in it."""
    import attr

    def plain(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        return event_state(value) if type(value).__name__.endswith("DpEvent") else value

    fields = {f.name: plain(getattr(event, f.name)) for f in attr.fields(type(event))}
    return {"class": type(event).__name__, **fields}


def accountants() -> list[dict[str, Any]]:
    import dp_accounting as dpa
    from dp_accounting import pld, rdp

    poisson = dpa.PoissonSampledDpEvent
    gaussian, laplace = dpa.GaussianDpEvent, dpa.LaplaceDpEvent
    repeated, together = dpa.SelfComposedDpEvent, dpa.ComposedDpEvent
    relation = dpa.NeighboringRelation
    events = [
        repeated(poisson(0.01, gaussian(1.0)), 1000),
        repeated(poisson(0.1, gaussian(2.0)), 50),
        repeated(gaussian(10.0), 20),
        gaussian(0.8),
        repeated(laplace(2.0), 4),
        together([gaussian(3.0), laplace(4.0)]),
        together([repeated(poisson(0.02, gaussian(1.2)), 200), gaussian(5.0)]),
    ]
    found = []
    for event in events:
        accountant = pld.PLDAccountant(relation.ADD_OR_REMOVE_ONE)
        accountant.compose(event)
        loss = vars(accountant)["_pld"]  # it has no other way out
        plain = rdp.RdpAccountant(neighboring_relation=relation.ADD_OR_REMOVE_ONE)
        try:
            plain.compose(event)
            upper = {str(d): plain.get_epsilon(d) for d in DELTAS}
        except dpa.UnsupportedEventError:
            upper = {}
        found.append(
            {
                "tool": "dp-accounting",
                "shape": "accountant",
                "relation": "ADD_OR_REMOVE_ONE",
                "ledger": event_state(accountant.ledger),
                "epsilons": {str(d): accountant.get_epsilon(d) for d in DELTAS},
                "at_most": upper,
                "fnrs": riskcal_fnrs(loss),
            }
        )
    replaced = pld.PLDAccountant(relation.REPLACE_ONE)
    response = dpa.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=4)
    replaced.compose(response)  # 0.6.0 leaves out how often a response is repeated
    found.append(
        {
            "tool": "dp-accounting",
            "shape": "accountant",
            "relation": "REPLACE_ONE",
            "ledger": event_state(replaced.ledger),
            "epsilons": {str(d): replaced.get_epsilon(d) for d in DELTAS},
            "fnrs": {},
        }
    )
    return found


def riskcal_fnrs(loss: Any) -> dict[str, float]:
    """Riskcal's FNRs of a privacy-loss distribution: from below, as the distribution is."""
    from riskcal.analysis import get_beta_from_pld

    return {str(a): float(get_beta_from_pld(loss, alpha=a)) for a in FPRS}


def distributions() -> list[dict[str, Any]]:
    from dp_accounting.pld import privacy_loss_distribution as pld

    found = []
    for name, loss in {
        "from_gaussian_mechanism(1.0)": pld.from_gaussian_mechanism(1.0),
        "from_laplace_mechanism(1.0)": pld.from_laplace_mechanism(1.0),
        "from_gaussian_mechanism(1.5, sampling_prob=0.1)": pld.from_gaussian_mechanism(
            1.5, sampling_prob=0.1
        ),
    }.items():
        found.append(
            {
                "tool": "dp-accounting",
                "shape": "distribution",
                "name": name,
                "epsilons": {str(d): float(loss.get_epsilon_for_delta(d)) for d in DELTAS},
                "fnrs": riskcal_fnrs(loss),
            }
        )
    return found


def renyi() -> list[dict[str, Any]]:
    """No objects: what riskcal says about rho and about Rényi divergences."""
    from riskcal.analysis import get_beta_from_zcdp

    found = []
    for rho in (0.05, 0.5, 2.63):
        fnrs = {str(a): float(get_beta_from_zcdp(rho=rho, alpha=a)) for a in FPRS}
        found.append({"tool": "riskcal", "shape": "rho", "rho": rho, "epsilons": {}, "fnrs": fnrs})
    return found


def measurements() -> list[dict[str, Any]]:
    import opendp.prelude as dp

    dp.enable_features("contrib", "floating-point", "honest-but-curious")
    bounded = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0)))
    number = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    gaussian = number >> dp.m.then_gaussian(1.0)
    profile = dp.c.make_zCDP_to_approxDP(gaussian)
    made = [
        (bounded, dp.symmetric_distance()) >> dp.t.then_sum() >> dp.m.then_laplace(2.0),
        gaussian,
        dp.c.make_fix_delta(profile, 1e-5),
        dp.c.make_approximate(number >> dp.m.then_laplace(1.0)),
        profile,
    ]
    found = []
    for each in made:
        measure, loss = str(each.output_measure), each.map(1)
        state: dict[str, Any] = {
            "tool": "opendp",
            "shape": "measurement",
            "input_metric": str(each.input_metric),
            "output_measure": measure,
            "fnrs": {},
        }
        if measure == "SmoothedMaxDivergence":
            epsilon = np.linspace(0, 12, 241)
            state["profile"] = [[e, loss.delta(e)] for e in epsilon.tolist()]
            state["epsilons"] = {str(d): loss.epsilon(d) for d in DELTAS}
        else:
            state["map"] = loss
            state["epsilons"] = {}
            if measure == "ZeroConcentratedDivergence":
                curve = dp.c.make_zCDP_to_approxDP(each).map(1)
                state["at_most"] = {str(d): curve.epsilon(d) for d in DELTAS}
        found.append(state)
    return found


def intervals() -> list[dict[str, Any]]:
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier=1.0, sampling_probability=0.01)
    accountant = PRVAccountant(
        prvs=[mechanism], max_self_compositions=[1000], eps_error=0.01, delta_error=1e-10
    )
    epsilon = np.linspace(0, 6, 121)
    table = [[e, *map(float, accountant.compute_delta(e, [1000]))] for e in epsilon.tolist()]
    ends = {str(d): list(map(float, accountant.compute_epsilon(d, [1000]))) for d in DELTAS}
    state = {"tool": "prv-accountant", "shape": "interval", "table": table, "ends": ends}
    return [{**state, "epsilons": {}, "fnrs": {}}]


def budgets() -> list[dict[str, Any]]:
    # Only its accountant is wanted, and its models do not import with newer scikit-learn.
    sys.modules.setdefault("diffprivlib.models", types.ModuleType("diffprivlib.models"))
    from diffprivlib.accountant import BudgetAccountant

    found = []
    for spent in ([(0.1, 0.0)] * 30, [(0.5, 1e-6), (1.0, 0.0)], [(0.2, 1e-7)] * 10):
        accountant = BudgetAccountant(slack=1e-5)
        for epsilon, delta in spent:
            accountant.spend(epsilon, delta)
        total = accountant.total()
        found.append(
            {
                "tool": "diffprivlib",
                "shape": "budget",
                "spent_budget": accountant.spent_budget,
                "epsilons": {},
                "at_most": {str(total[1]): total[0]},
                "fnrs": {},
            }
        )
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    written = {
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "script": "tests/claims/record.py",
        "versions": {name: version(name) for name in PACKAGES},
        "objects": [
            *accountants(),
            *distributions(),
            *renyi(),
            *measurements(),
            *intervals(),
            *budgets(),
        ],
    }
    path = Path(__file__).parent / "recorded" / "objects.json"
    text = json.dumps(written, separators=(",", ":")).replace('{"tool"', '\n{"tool"')
    path.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()

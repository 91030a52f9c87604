"""Live objects of other tools, where these are installed: `.ci/prove oracles` installs them."""

import json
import math
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dpviz import read_claim, read_scores, theory
from dpviz.theory.statements import gdp_statement

TOOLS = (
    *("opendp", "riskcal", "prv-accountant", "gdpnum"),
    *("opacus", "tmlt.analytics", "privacyguard-platform"),
)


def is_installed(tool: str) -> bool:
    try:
        version(tool)
    except PackageNotFoundError:
        return False
    return True


if not all(map(is_installed, TOOLS)):
    reason = f"needs {', '.join(TOOLS)}: .ci/prove oracles"
    pytest.skip(reason, allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore")  # of the tools
DELTAS = (1e-3, 1e-5, 1e-8)
FPRS = (1e-3, 0.01, 0.1, 0.5)


@pytest.mark.parametrize(
    ("mechanism", "numbers", "steps"),
    [
        ("PoissonSubsampledGaussianMechanism", (0.01, 1.0), 1000),
        ("PoissonSubsampledGaussianMechanism", (0.1, 2.0), 50),
        ("GaussianMechanism", (5.0,), 20),
        ("LaplaceMechanism", (1.0,), 4),
    ],
)
def test_prv_accountant(mechanism: str, numbers: tuple[float, ...], steps: int) -> None:
    import prv_accountant

    made = prv_accountant.PRVAccountant(
        prvs=[getattr(prv_accountant, mechanism)(*numbers)],
        max_self_compositions=[steps],
        eps_error=0.01,
        delta_error=1e-10,
    )
    claim = read_claim(made)
    assert claim.upper is not None
    for delta in DELTAS[:2]:
        _, estimate, above = made.compute_epsilon(delta, [steps])
        assert estimate - 1e-9 <= claim.guarantee.epsilon(delta) <= above + 0.02
    if mechanism == "GaussianMechanism":
        x = np.geomspace(1e-4, 0.9, 50)
        exact = theory.GaussianDP(mu=math.sqrt(steps) / numbers[0]).beta(x)
        assert np.all(claim.guarantee.beta(x) <= exact)
        assert np.all(exact <= claim.upper.beta(x) + claim.upper.error)
        assert np.all(exact <= claim.guarantee.beta(x) + claim.error)


@pytest.mark.parametrize("tool", ["riskcal.accountants", "gdpnum"])
@pytest.mark.parametrize(("noise", "rate", "steps"), [(1.0, 0.02, 100), (2.0, 0.1, 30)])
def test_riskcal_and_gdpnum(tool: str, noise: float, rate: float, steps: int) -> None:
    accountant = pytest.importorskip(tool).CTDAccountant()
    for _ in range(steps):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    claim = read_claim(accountant)
    assert claim.guarantee.adjacency == "add_remove"
    for delta in DELTAS[:2]:
        assert claim.guarantee.epsilon(delta) == pytest.approx(
            accountant.get_epsilon(delta=delta), rel=1e-3
        )
    for fpr in FPRS:
        # Theirs is of a distribution that is less private than the truth; so is ours.
        theirs = float(accountant.get_beta(alpha=fpr))
        assert claim.guarantee.beta(fpr) == pytest.approx(theirs, abs=claim.guarantee.error + 1e-5)


def test_the_gaussian_statement_of_gdpnum_is_ours_but_for_the_tail() -> None:
    import gdpnum

    accountant = gdpnum.CTDAccountant()
    for _ in range(1000):
        accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    theirs, _ = accountant.get_mu_and_regret()
    claim = read_claim(accountant).guarantee
    x = np.geomspace(1e-3, 0.5, 60)
    ours = gdp_statement(claim, from_fpr=1e-3)
    assert ours.mu == pytest.approx(theirs, rel=0.05)
    assert np.all(theory.GaussianDP(mu=ours.mu).beta(x) <= claim.beta(x) + 1e-9)


def measurements() -> list[Any]:
    import opendp.prelude as dp

    dp.enable_features("contrib", "floating-point", "honest-but-curious")
    number = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    gaussians = [number >> dp.m.then_gaussian(scale) for scale in (0.5, 1.0, 4.0)]
    return [
        *(number >> dp.m.then_laplace(scale) for scale in (0.5, 2.0)),
        *gaussians,
        *(dp.c.make_zCDP_to_approxDP(each) for each in gaussians),
        *(dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(each), 1e-6) for each in gaussians),
    ]


def test_opendp() -> None:
    for made in measurements():
        claim, loss = read_claim(made).guarantee, made.map(1.0)
        measure = str(made.output_measure)
        if measure == "MaxDivergence":
            assert claim.epsilon(0.0) == pytest.approx(loss, rel=1e-12)
        elif measure == "ZeroConcentratedDivergence":
            assert claim == theory.ZeroConcentratedDP(rho=loss)
        elif measure == "SmoothedMaxDivergence":
            for delta in DELTAS:  # of the profile that OpenDP states: ours is on its safe side
                stated = loss.epsilon(delta)
                assert stated * (1 - 1e-9) <= claim.epsilon(delta) <= stated * 1.02 + 0.01
        else:
            epsilon, delta = loss
            assert claim.epsilon(delta) == pytest.approx(epsilon, rel=1e-12)
            assert math.isinf(claim.epsilon(delta / 2))


@pytest.fixture
def without_frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opacus without torch, Tumult without Spark: accountants and budgets need neither."""
    for name in ("opacus", "tmlt.analytics", "tmlt.core"):
        found = find_spec(name)
        assert found is not None
        package = ModuleType(name)
        package.__path__ = list(found.submodule_search_locations or ())
        monkeypatch.setitem(sys.modules, name, package)
    optimizers: Any = ModuleType("opacus.optimizers")
    optimizers.DPOptimizer = optimizers.AdaClipDPOptimizer = object
    monkeypatch.setitem(sys.modules, "opacus.optimizers", optimizers)


@pytest.mark.usefixtures("without_frameworks")
def test_opacus() -> None:
    accountants = import_module("opacus.accountants")
    expected = read_claim({"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 1000}).guarantee
    above = {"RDPAccountant": 0.4, "PRVAccountant": 0.02}  # of looser accounting
    for name in (*above, "GaussianAccountant"):
        made = getattr(accountants, name)()
        with pytest.raises(ValueError, match="accountant must have"):
            read_claim(made)
        for _ in range(1000):
            made.step(noise_multiplier=1.0, sample_rate=0.01)
        claim = read_claim(made)
        assert claim.guarantee == expected
        assert claim.states_adjacency
        epsilon, theirs = claim.guarantee.epsilon(1e-5), made.get_epsilon(1e-5)
        if name in above:
            assert epsilon <= theirs <= epsilon + above[name]
        else:  # its central limit theorem promises too much
            assert theirs < epsilon
            assert "central limit theorem" in str(claim)


@pytest.mark.usefixtures("without_frameworks")
def test_tumult() -> None:
    budgets = import_module("tmlt.analytics.privacy_budget")
    for budget, guarantee in (
        (budgets.PureDPBudget(1.5), theory.PureDP(epsilon=1.5)),
        (budgets.ApproxDPBudget(1, 1e-6), theory.ApproximateDP(epsilon=1.0, delta=1e-6)),
        (budgets.RhoZCDPBudget(0.5), theory.ZeroConcentratedDP(rho=0.5)),
    ):
        assert read_claim(budget).guarantee == guarantee


def test_privacy_guards_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own class, with arrays for torch's tensors; scikit-learn draws its curves only."""
    found = find_spec("privacy_guard")
    assert found is not None
    root = Path(next(iter(found.submodule_search_locations or ()))).parent
    for name in ("privacy_guard", "privacy_guard.analysis", "privacy_guard.analysis.mia"):
        package = ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")))]
        monkeypatch.setitem(sys.modules, name, package)
    torch: Any = ModuleType("torch")
    torch.Tensor = np.ndarray
    metrics: Any = ModuleType("sklearn.metrics")
    metrics.auc = metrics.roc_curve = None
    for name, module in (("torch", torch), ("sklearn", metrics), ("sklearn.metrics", metrics)):
        monkeypatch.setitem(sys.modules, name, module)
    results = import_module("privacy_guard.analysis.mia.mia_results").MIAResults
    scores = read_scores(results(np.array([2.0, 3.0, 1.0]), np.array([0.0, 1.0])))
    assert (scores.n_members, scores.n_nonmembers, scores.kind) == (3, 2, "score")


def test_the_record_is_of_these_versions() -> None:
    path = Path(__file__).parent / "recorded" / "objects.json"
    recorded = json.loads(path.read_text("utf-8"))["versions"]
    for tool in set(TOOLS) & set(recorded):
        assert recorded[tool].split(".")[0] == version(tool).split(".")[0]

"""The bounds that are checked: what each supposes, where it says so, and how often it is called.

A method is judged in the cases that meet its conditions, and shown in the others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.auditors import adapters
from dpviz.testing.auditors.cases import CASES, DELTA, KnownCase
from dpviz.testing.auditors.run import Takes
from dpviz.theory import GaussianDP

MANY_RUNS, RUNS, FEW_RUNS = (
    1000,
    200,
    20,
)  # calls in a case, at least; some rows of the file have more
JAX = "https://github.com/google-deepmind/jax_privacy/blob/main/jax_privacy/auditing.py"
OPAKE = "https://pypi.org/project/opake-auditing/0.16.1/"
ESTIMATES = (
    "https://github.com/microsoft/responsible-ai-toolbox-privacy/blob/0.1.0post1/"
    "privacy_estimates/__init__.py"
)
TENSORFLOW = (
    "https://github.com/tensorflow/privacy/blob/v0.9.0/tensorflow_privacy/privacy/privacy_tests/"
    "epsilon_lower_bound.py"
)
GUARD = "https://github.com/facebookresearch/PrivacyGuard/blob/0.0.2/privacy_guard/analysis/mia/"
GUARDS_LARGEST_NOISE = 0.001 + 999 * 0.01  # of the 1000 that `FDPAnalysisNode` tries
MEMAUDIT = "https://github.com/mem-audit/memaudit"


@dataclass(frozen=True, kw_only=True)
class Method:
    """One published way to a lower bound, and the conditions under which it is right."""

    auditor: Callable[..., Any]
    library: str  # the name of the distribution
    name: str
    takes: Takes = "scores"
    states: str  # how it calls its number
    link: str
    coins: bool = False  # whether fair coins must have decided who is a member
    gaussian: bool = False  # whether the mechanism must be Gaussian
    small_delta: bool = False  # whether it holds, but for a small error, at a delta near 0 alone
    positive_delta: bool = False  # whether delta must be above 0
    averaged: bool = False  # whether it holds on average over a prior of both rates alone
    least: float = 0.0  # the smallest number that it returns; it is false wherever epsilon is less
    runs: int = RUNS

    @property
    def supposes(self) -> str:
        """The conditions in words."""
        conditions = {
            "fair coins": self.coins,
            "independent scores": not self.coins,
            "a threshold fixed beforehand": self.takes == "counts",
            "a Gaussian mechanism": self.gaussian,
            "δ near 0": self.small_delta,
            "δ > 0": self.positive_delta,
            "on average over its prior": self.averaged,
            f"ε of at least {self.least:.2f}, its smallest number": self.least > 0,
        }
        return ", ".join(words for words, holds in conditions.items() if holds)

    def fits(self, case: KnownCase) -> bool:
        """Whether a case meets its conditions."""
        is_gaussian = case.name.startswith(("null", "Gaussian"))
        return (
            (case.fair_coins or not self.coins)
            and (is_gaussian or not self.gaussian)
            and (case.delta <= DELTA or not self.small_delta)
            and (case.delta > 0 or not self.positive_delta)
            and case.epsilon >= self.least
        )

    @property
    def cases(self) -> list[str]:
        """The cases in which it is called; slow methods are called where they fit alone."""
        possible = [c for c in CASES.values() if c.fair_coins or self.takes != "guesses"]
        chosen = [c for c in possible if self.runs > FEW_RUNS or self.fits(c)]
        return [case.name for case in chosen]


METHODS: dict[str, Method] = {
    "dpviz": Method(
        auditor=adapters.dpviz_default,
        library="dpviz",
        name="`lower_bound`",
        states="lower bound",
        link="coverage.md",
        runs=FEW_RUNS,  # seconds for a call at a large delta; its table of coverage has thousands
    ),
    "dpviz one run": Method(
        auditor=adapters.dpviz_one_run,
        library="dpviz",
        name="`lower_bound`, `one_run_curve`",
        states="lower bound",
        link="coverage.md",
        coins=True,
        runs=MANY_RUNS,
    ),
    "jax CP": Method(
        auditor=adapters.JaxPrivacy("epsilon_clopper_pearson", "Bonferroni"),
        library="jax-privacy",
        name="`epsilon_clopper_pearson`",
        states="lower bound",
        link=JAX,
    ),
    "jax one run": Method(
        auditor=adapters.JaxPrivacy("epsilon_one_run", "Bonferroni"),
        library="jax-privacy",
        name="`epsilon_one_run`",
        states="lower bound",
        link=JAX,
        coins=True,
        positive_delta=True,
    ),
    "jax one run split": Method(
        auditor=adapters.JaxPrivacy("epsilon_one_run", "Split", seed=0),
        library="jax-privacy",
        name="`epsilon_one_run`, `Split`",
        states="lower bound",
        link=JAX,
        coins=True,
        positive_delta=True,
    ),
    "jax one run f-DP": Method(
        auditor=adapters.JaxPrivacy("epsilon_one_run_fdp", "Bonferroni"),
        library="jax-privacy",
        name="`epsilon_one_run_fdp`",
        states="lower bound",
        link=JAX,
        coins=True,
        gaussian=True,
        positive_delta=True,
        runs=FEW_RUNS,
    ),
    "jax GDP": Method(
        auditor=adapters.JaxPrivacy("epsilon_from_gdp", None),
        library="jax-privacy",
        name="`epsilon_from_gdp`",
        states="estimate with a significance",
        link=JAX,
        gaussian=True,
        positive_delta=True,
    ),
    "opake": Method(
        auditor=adapters.Opake("eps_delta"),
        library="opake-auditing",
        name="`eps_delta`",
        states="lower bound",
        link=OPAKE,
        coins=True,
        small_delta=True,
    ),
    "opake fixed": Method(
        auditor=adapters.FromCounts(adapters.Opake("eps_delta", threshold=0.5)),
        library="opake-auditing",
        name="`eps_delta`, `threshold`",
        takes="counts",
        states="lower bound",
        link=OPAKE,
        coins=True,
        small_delta=True,
        runs=MANY_RUNS,
    ),
    "opake GDP": Method(
        auditor=adapters.Opake("gdp"),
        library="opake-auditing",
        name="`gdp` (its default)",
        states="lower bound",
        link=OPAKE,
        coins=True,
        gaussian=True,
        positive_delta=True,
        runs=FEW_RUNS,
    ),
    "estimates beta": Method(
        auditor=adapters.PrivacyEstimates("beta"),
        library="privacy-estimates",
        name="`compute_eps_lo`, `beta`",
        takes="counts",
        states="lower bound",
        link=ESTIMATES,
    ),
    "estimates Jeffreys": Method(
        auditor=adapters.PrivacyEstimates("jeffreys"),
        library="privacy-estimates",
        name="`compute_eps_lo`, `jeffreys`",
        takes="counts",
        states="lower end of a Bayesian interval",
        link=ESTIMATES,
        averaged=True,
        runs=MANY_RUNS,
    ),
    "TensorFlow": Method(
        auditor=adapters.TensorFlowPrivacy("BAILEY"),
        library="tensorflow-empirical-privacy",
        name="`EpsilonLowerBound`, Bailey (its reports)",
        states="lower bounds, the largest first",
        link=TENSORFLOW,
        small_delta=True,
    ),
    "TensorFlow CP": Method(
        auditor=adapters.TensorFlowPrivacy("CLOPPER_PEARSON"),
        library="tensorflow-empirical-privacy",
        name="`EpsilonLowerBound`, Clopper-Pearson",
        states="lower bounds, the largest first",
        link=TENSORFLOW,
        small_delta=True,
    ),
    "TensorFlow fixed": Method(
        auditor=adapters.TensorFlowRatio("BAILEY"),
        library="tensorflow-empirical-privacy",
        name="`RatioBound`, Bailey",
        takes="counts",
        states="lower bound of a ratio",
        link=TENSORFLOW,
        small_delta=True,
        runs=MANY_RUNS,
    ),
    "PrivacyGuard": Method(
        auditor=adapters.privacy_guard,
        library="privacyguard-platform",
        name="`compute_acc_auc_ci_epsilon`",
        states="empirical epsilon with Clopper-Pearson limits",
        link=f"{GUARD}mia_results.py",
    ),
    "PrivacyGuard one run": Method(
        auditor=adapters.privacy_guard_one_run,
        library="privacyguard-platform",
        name="`FDPAnalysisNode`",
        takes="guesses",
        states="empirical epsilon",
        link=f"{GUARD}fdp_analysis_node.py",
        coins=True,
        gaussian=True,
        positive_delta=True,
        least=GaussianDP(mu=1 / GUARDS_LARGEST_NOISE).epsilon(DELTA),
    ),
    "memaudit": Method(
        auditor=adapters.memaudit,
        library="memaudit",
        name="`steinke_eps_lower_bound`",
        takes="guesses",
        states="witness of a leak, no certificate",
        link=MEMAUDIT,
        coins=True,
        small_delta=True,
    ),
}

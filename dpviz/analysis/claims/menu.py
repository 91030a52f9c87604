"""The menu of claims: the label, the controls and the start parameters of each guarantee."""

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.analysis.claims.text_fields import (
    TextField,
    number_field,
    pairs_field,
    repetitions_field,
    vector_field,
    vector_pairs_field,
    word_field,
)
from dpviz.analysis.spec import Control, Scale, Spec
from dpviz.theory import MECHANISMS, PureDP, TradeoffFunction, calibration
from dpviz.theory.mechanisms.discrete import LARGEST_NOISE
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import SHIFTS


@dataclass(frozen=True, kw_only=True)
class StartParameters:
    """The current claim, with numbers that it implies, as start values for another guarantee."""

    claim: TradeoffFunction
    overlays: tuple[TradeoffFunction, ...]  # a mixture is made of them and of the claim
    epsilon: float  # this and the next two: what the claim implies
    delta: float
    advantage: float  # the largest TPR - FPR

    @classmethod
    def of(cls, spec: Spec) -> "StartParameters":
        """Return start parameters from a spec, with the default epsilon in place of 0 or inf."""
        # A claim of perfect privacy would start every other guarantee without any noise.
        epsilon, delta = spec.epsilon, spec.delta
        if epsilon == 0:
            epsilon, delta = Spec().epsilon, Spec().delta
        return cls(
            claim=spec.claim,
            overlays=spec.overlays,
            epsilon=_rounded(epsilon) if np.isfinite(epsilon) else Spec().epsilon,
            delta=delta,
            # An advantage of 0 would need uniform noise of infinite width.
            advantage=_rounded(min(max(spec.claim.delta(0.0), 1e-6), 1.0)),
        )

    @property
    def mu(self) -> float:
        """The mu for which mu-GDP implies (epsilon, delta)-DP; a delta of 0 or 1 counts as 1e-5."""
        delta = self.delta if 0 < self.delta < 1 else Spec().delta
        noise = calibration.gaussian_noise(epsilon=self.epsilon, delta=delta, sensitivity=1.0)
        return _rounded(1 / noise)

    @property
    def rho(self) -> float:
        """The rho for which zCDP implies (epsilon, delta)-DP; a delta of 0 or 1 counts as 1e-5."""
        delta = self.delta if 0 < self.delta < 1 else Spec().delta
        return _rounded(calibration.zero_concentrated_rho(epsilon=self.epsilon, delta=delta))

    @property
    def flip_rate(self) -> float:
        """The probability that binary randomized response with this epsilon flips an answer."""
        return _rounded(1 / (1 + float(np.exp(min(self.epsilon, 30.0)))))


@dataclass(frozen=True)
class MenuEntry:
    """A guarantee in the menu: its `title` in the menu and its `short` name in sentences."""

    title: str
    short: str
    start: Callable[[StartParameters], dict[str, object]]  # returns the arguments of its class
    # Sliders and text boxes of all parameters that are not epsilon, delta or another guarantee.
    parameters: dict[str, Control | TextField] = field(default_factory=dict)
    slow: bool = False  # its curves take seconds, so all its parameters have text boxes
    one_order: bool = False  # holds for the pair (P, Q) but not (Q, P): add/remove is rejected


ONE_OF_100 = "example: release one record of 100"

# Menu entries with given parameters; once one is chosen, the menu shows its class.
EXAMPLES: dict[str, TradeoffFunction] = {
    "perfect privacy: a constant output": PureDP(epsilon=0.0),
    "no noise: a deterministic mechanism": PureDP(epsilon=np.inf),
    ONE_OF_100: DiscretePair([0.99, 0.01, 0.0], [0.99, 0.0, 0.01]),
}


def menu_key(claim: TradeoffFunction) -> str:
    """Return the key of a claim's class in the menu; "" if the class is not in the menu."""
    return next((key for key in ENTRIES if type(claim) is MECHANISMS[key]), "")


def fields_of_menu_choice(key: str, spec: Spec) -> dict[str, object]:
    """Return the values of "claim" and "delta" that the menu entry `key` gives to a spec."""
    start, adjacency = StartParameters.of(spec), spec.claim.adjacency
    _require_replace_one(key, adjacency)
    make: Callable[..., TradeoffFunction] = MECHANISMS[key]
    return {"claim": make(**ENTRIES[key].start(start), adjacency=adjacency), "delta": start.delta}


def fields_with_parameters(spec: Spec, /, **parameters: Any) -> dict[str, object]:
    """Return {"claim": the spec's claim with new `parameters`}; ValueError for an illegal value."""
    for name in parameters:  # a control may be of an earlier claim
        checks.choice("parameter of the claim", name, signature(type(spec.claim)).parameters)
    _require_replace_one(menu_key(spec.claim), parameters.get("adjacency", spec.claim.adjacency))
    return {"claim": spec.claim.with_parameters(**parameters)}


def _require_replace_one(key: str, adjacency: str) -> None:
    if key and ENTRIES[key].one_order and adjacency != "replace_one":
        way_out = "the claim bounds (D, D') but not (D', D)"
        raise checks.fail("adjacency", "replace_one for this claim", adjacency, way_out)


def _slider(
    label: str, explanation: str, low: float, high: float, scale: Scale = "log10"
) -> Control:
    return Control(
        label=label,
        help=explanation,
        low=low,
        high=high,
        step=0.05,
        scale=scale,
        most=np.inf,
        closed="both" if scale == "linear" else "right",
    )


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _epsilon_kwarg(start: StartParameters) -> dict[str, object]:
    return {"epsilon": start.epsilon}


_SENSITIVITY = "largest change of the query when one record changes"
# The Rényi orders of a new claim: so dense that epsilon is exact within one percent.
RENYI_ORDERS = (1.5, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64)
_RATE = "probability that the record is in the sample"
_SUPPORT = "probabilities that a respondent supports each other item"
_NOISE = "standard deviation / largest L2 contribution of a record"
_SAMPLING = "poisson, random_allocation, shuffled, full_batch, or (replace-one) fixed_size"
_AVERAGING = "the noisy sum, divided by nothing (sum), a constant (expected), the size (sampled)"
_SIZE = "number of records that change together (edit distance)"

# By the keys of `dpviz.theory.MECHANISMS`, in the order of the menu.
ENTRIES: dict[str, MenuEntry] = {
    "approximate": MenuEntry("(ε, δ)-DP", "DP", lambda s: {"epsilon": s.epsilon, "delta": s.delta}),
    "pure": MenuEntry("pure ε-DP", "pure DP", _epsilon_kwarg),
    "total_variation": MenuEntry(
        "total variation ≤ δ", "advantage", lambda s: {"delta": s.advantage}
    ),
    "gaussian_dp": MenuEntry(
        "Gaussian DP (μ)",
        "GDP",
        lambda s: {"mu": s.mu},
        {"mu": _slider("μ", "L2 sensitivity / standard deviation", 0, 10, "linear")},
    ),
    "zero_concentrated": MenuEntry(
        "zero-concentrated DP (ρ)",
        "zCDP",
        lambda s: {"rho": s.rho},
        {"rho": _slider("ρ", "Rényi divergence / order; smaller: more private", 1e-4, 20)},
    ),
    "renyi": MenuEntry(
        "Rényi DP at some orders",
        "RDP",
        lambda s: {
            "orders": RENYI_ORDERS,
            "epsilons": tuple(_rounded(s.rho * order) for order in RENYI_ORDERS),
        },
        {
            "orders": vector_pairs_field(
                "orders", "epsilons", "orders", "each order above 1 and its bound on the divergence"
            )
        },
    ),
    "stated": MenuEntry(
        "several (ε, δ) statements",
        "statements",
        lambda s: {"statements": ((s.epsilon, s.delta),)},
        {"statements": pairs_field("statements", "statements", "ε and δ of each (ε, δ) pair")},
    ),
    "gaussian": MenuEntry(
        "Gaussian noise",
        "Gaussian",
        lambda s: {"noise_multiplier": _rounded(SHIFTS[s.claim.adjacency] / s.mu)},
        {"noise_multiplier": _slider("noise σ", _NOISE, 0.1, 100)},
    ),
    "discrete_gaussian": MenuEntry(
        "discrete Gaussian noise",
        "discrete Gaussian",
        lambda s: {"noise": min(_rounded(1 / s.mu), LARGEST_NOISE), "sensitivity": 1},
        {
            "noise": _slider("noise σ", "P(noise z) ∝ e^(-z² / (2 σ²))", 0.1, 100),
            "sensitivity": number_field("sensitivity", "sensitivity", f"{_SENSITIVITY}, whole"),
        },
    ),
    "laplace": MenuEntry("Laplace noise (ε = sensitivity / scale)", "Laplace", _epsilon_kwarg),
    "discrete_laplace": MenuEntry(
        "discrete Laplace noise",
        "discrete Laplace",
        lambda s: {"scale": _rounded(1 / s.epsilon), "sensitivity": 1},
        {
            "scale": _slider("scale b", "P(noise z) ∝ e^(-|z| / b)", 0.01, 100),
            "sensitivity": number_field("sensitivity", "sensitivity", f"{_SENSITIVITY}, whole"),
        },
    ),
    "exponential": MenuEntry("exponential mechanism (ε)", "exponential mechanism", _epsilon_kwarg),
    "permute_and_flip": MenuEntry("permute-and-flip (ε)", "permute-and-flip", _epsilon_kwarg),
    "randomized_response": MenuEntry(
        "randomized response (ε)",
        "randomized response",
        lambda s: {"epsilon": s.epsilon, "categories": 4},
        {"categories": number_field("categories", "answers", "number of possible answers")},
    ),
    "list_experiment": MenuEntry(
        "list experiment (survey)",
        "list experiment",
        lambda _: {"support": (0.3, 0.5, 0.5, 0.7)},
        {"support": vector_field("support", "support", _SUPPORT)},
    ),
    "uniform": MenuEntry(
        "uniform noise",
        "uniform",
        lambda s: {"width": _rounded(1 / s.advantage), "sensitivity": 1.0},
        {
            "width": _slider("width", "length of the interval of the noise", 0.1, 1e6),
            "sensitivity": number_field("sensitivity", "sensitivity", _SENSITIVITY),
        },
    ),
    "discrete_pair": MenuEntry(
        "two finite distributions (P, Q)",
        "pair of distributions",
        lambda s: {"P": (1 - s.flip_rate, s.flip_rate), "Q": (s.flip_rate, 1 - s.flip_rate)},
        {
            "outputs": vector_pairs_field(
                "P", "Q", "outputs", "for each output: probability for a non-member, for a member"
            )
        },
    ),
    "piecewise_linear": MenuEntry(
        "piecewise-linear trade-off curve",
        "curve",
        lambda s: {"knots": ((0, 1), (s.flip_rate, s.flip_rate), (1, 0))},
        {"knots": pairs_field("knots", "corners", "corners (FPR, FNR) of the curve, FPR 0 to 1")},
    ),
    "subsampled": MenuEntry(
        "Poisson subsampling of the current claim",
        "sampled",
        lambda s: {"base": s.claim, "sampling_rate": 0.1},
        {"sampling_rate": number_field("sampling_rate", "rate", _RATE)},
        slow=True,
    ),
    "one_way_subsampled": MenuEntry(
        "Poisson subsampling of the current claim, only from D to D'",
        "sampled one way",
        lambda s: {"base": s.claim, "sampling_rate": 0.1},
        {"sampling_rate": number_field("sampling_rate", "rate", _RATE)},
        slow=True,
        one_order=True,
    ),
    "subsampled_gaussian": MenuEntry(
        "DP-SGD (subsampled Gaussian)",
        "DP-SGD",
        lambda _: {"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 1000},
        {
            "noise_multiplier": number_field("noise_multiplier", "noise σ", _NOISE),
            "sampling_rate": number_field("sampling_rate", "rate", _RATE),
            "steps": number_field("steps", "steps", "number of steps"),
            "sampling": word_field("sampling", "samples", _SAMPLING),
            "averaging": word_field("averaging", "average", _AVERAGING),
        },
        slow=True,
    ),
    "composed": MenuEntry(
        "k-fold composition of the current claim",
        "repeated",
        lambda s: {"mechanisms": (s.claim,) * 2},
        {"mechanisms": repetitions_field("mechanisms", "times", "uses of the current claim")},
        slow=True,
    ),
    "group": MenuEntry(
        "the current claim for a group of records",
        "group",
        lambda s: {"base": s.claim, "size": 2},
        {"size": number_field("size", "records", _SIZE)},
    ),
    "public_mixture": MenuEntry(
        "random choice among claim and overlays (choice known)",
        "mixture",
        lambda s: {
            "components": (s.claim, *s.overlays),
            "weights": np.full(1 + len(s.overlays), 1 / (1 + len(s.overlays))),
        },
        {"weights": vector_field("weights", "weights", "probabilities with sum 1")},
        slow=True,
    ),
}

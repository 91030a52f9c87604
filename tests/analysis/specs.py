"""Random guarantees of every registered class, and random specs with them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from dpviz import Spec
from dpviz.analysis.facts.about import ABOUT
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.audit.bounds.result import SAMPLINGS
from dpviz.audit.epsilon_star.estimate import METHODS
from dpviz.audit.epsilon_star.fits import TRANSFORMS
from dpviz.naming import NAMINGS
from dpviz.theory import MECHANISMS, TradeoffFunction
from dpviz.theory.tradeoff import ADJACENCIES
from tests.laws.examples import EXAMPLES

UNIT = st.floats(0, 1)
INSIDE = st.floats(0, 1, exclude_min=True, exclude_max=True)
RATES = st.floats(0, 1, exclude_min=True)
SIZES = st.floats(0, np.inf)
POSITIVE = st.floats(0, np.inf, exclude_min=True)


@st.composite
def probabilities(draw: st.DrawFn, n: int) -> tuple[float, ...]:
    masses = np.array(draw(st.lists(st.floats(0.01, 1), min_size=n, max_size=n)))
    return tuple((masses / masses.sum()).tolist())


@st.composite
def pairs(draw: st.DrawFn) -> dict[str, Any]:
    n = draw(st.integers(1, 12))
    named = {"P": draw(probabilities(n)), "Q": draw(probabilities(n))}
    return named | ({"error": 0.25} if draw(st.booleans()) else {})


@st.composite
def corners(draw: st.DrawFn) -> dict[str, Any]:
    x = [0.0, *sorted(draw(st.sets(INSIDE, max_size=12))), 1.0]
    return {"knots": tuple((a, draw(UNIT) * (1 - a)) for a in x)}


@st.composite
def mixtures(draw: st.DrawFn, parts: st.SearchStrategy[Any]) -> dict[str, Any]:
    given = tuple(draw(st.lists(parts, min_size=1, max_size=3)))
    return {"components": given, "weights": draw(probabilities(len(given)))}


def parameters_of(parts: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[dict[str, Any]]]:
    """By the registry's keys; `parts` are what guarantees are made of.

    A new mechanism is tried with the examples it brings until it has a strategy here.
    """
    repeated = st.builds(lambda f, n: (f,) * n, parts, st.integers(1, 9))
    several = st.lists(parts, min_size=1, max_size=4).map(tuple)
    examples = {key: st.sampled_from(given) for key, given in EXAMPLES.items()}
    return examples | {
        "pure": st.fixed_dictionaries({"epsilon": SIZES}),
        "approximate": st.fixed_dictionaries({"epsilon": SIZES, "delta": UNIT}),
        "total_variation": st.fixed_dictionaries({"delta": UNIT}),
        "gaussian_dp": st.fixed_dictionaries({"mu": SIZES}),
        "gaussian": st.fixed_dictionaries({"noise_multiplier": POSITIVE}),
        "laplace": st.fixed_dictionaries({"epsilon": SIZES}),
        "discrete_laplace": st.fixed_dictionaries(
            {"scale": POSITIVE, "sensitivity": st.integers(0, 10**6)}
        ),
        "randomized_response": st.fixed_dictionaries(
            {"epsilon": SIZES, "categories": st.integers(2, 10**9)}
        ),
        "list_experiment": st.fixed_dictionaries(
            {"support": st.lists(UNIT, min_size=1, max_size=5).map(tuple)}
        ),
        "uniform": st.fixed_dictionaries({"width": POSITIVE, "sensitivity": st.floats(0, 1e300)}),
        "discrete_pair": pairs(),
        "subsampled": st.fixed_dictionaries(
            {"base": parts.filter(lambda f: type(f) in SYMMETRIC), "sampling_rate": RATES}
        ),
        "one_way_subsampled": st.fixed_dictionaries({"base": parts, "sampling_rate": RATES}),
        "subsampled_gaussian": st.fixed_dictionaries(
            {
                "noise_multiplier": POSITIVE,
                "sampling_rate": RATES,
                "steps": st.integers(1, 10**7),
            }
        ),
        "composed": st.fixed_dictionaries({"mechanisms": repeated | several}),
        "public_mixture": mixtures(parts),
        "piecewise_linear": corners(),
    }


SYMMETRIC = {MECHANISMS[key] for key in ("pure", "approximate", "gaussian_dp", "laplace")}
"""Without a look at any curve."""
NESTED = ("group", "subsampled", "one_way_subsampled", "composed", "public_mixture")


@st.composite
def guarantees(draw: st.DrawFn, adjacency: str | None = None, depth: int = 2) -> TradeoffFunction:
    adjacency = adjacency or draw(st.sampled_from(ADJACENCIES))
    parts = guarantees(adjacency, depth - 1)
    key = draw(st.sampled_from([k for k in MECHANISMS if depth or k not in NESTED]))
    return MECHANISMS[key](**draw(parameters_of(parts)[key]), adjacency=adjacency)


def answers(name: str) -> st.SearchStrategy[Any]:
    one = st.sampled_from(sorted(QUESTIONS[name].choices))
    words = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20)
    return one | st.fixed_dictionaries({"note": words}, optional={"answer": one})


VALUES = (
    st.text(max_size=20)
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
)
SUBJECTS = [(None, "instance"), *((name, "mechanism") for name in SAMPLINGS)]
specs = st.builds(
    # A claim for replace-one is no claim where fair coins include records.
    lambda subject, **given: Spec(
        sampling=subject[0],
        applies_to=subject[1],
        neighbours="replace_one" if subject[0] == "fair_coins" else None,
        **given,
    ),
    subject=st.sampled_from(SUBJECTS),
    claim=guarantees() | st.builds(MECHANISMS["approximate"], epsilon=SIZES, delta=UNIT),
    delta=UNIT,
    prior=INSIDE,
    fpr=st.none() | UNIT,
    fnr=st.none() | UNIT,
    method=st.sampled_from(METHODS),
    clip=st.none() | st.just("paper") | st.floats(0, 0.5, exclude_max=True),
    transform=st.sampled_from(TRANSFORMS),
    components=st.sampled_from(["bic", "ks"]) | st.integers(1, 20),
    overlays=st.lists(guarantees(), max_size=6),
    confidence_level=st.floats(0.5, 1 - 1e-9),
    naming=st.sampled_from(list(NAMINGS)),
    same_records=st.none() | st.booleans(),
    pinned_point=st.none() | st.tuples(UNIT, UNIT),
    kappa=INSIDE,
    cost_false_alarm=st.floats(0, np.inf, exclude_min=True, exclude_max=True),
    cost_miss=st.floats(0, np.inf, exclude_min=True, exclude_max=True),
    facts=st.fixed_dictionaries({}, optional={name: answers(name) for name in QUESTIONS}),
    about=st.fixed_dictionaries(
        {},
        optional={
            group: st.fixed_dictionaries({}, optional=dict.fromkeys(names, VALUES))
            for group, names in ABOUT.items()
        },
    ),
)

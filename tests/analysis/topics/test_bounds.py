"""Bounds of all methods side by side, against `audit.lower_bound` called one by one."""

import math
import re

import numpy as np
import pytest
from scipy.stats import binomtest

from dpviz import Analysis, AttackScores, Spec, analyze, audit, read_sample
from dpviz.analysis.topics.bounds import (
    DEFAULT,
    HEAD,
    BoundsPart,
    BoundsQuestion,
    bound_sentences,
    cautions,
    lower_bounds,
    method_label,
    summary,
    table,
)
from dpviz.audit.bounds import BOUNDS, EpsilonBound
from dpviz.audit.bounds import coverage as measured_table
from dpviz.audit.bounds.coverage import Cell
from dpviz.audit.bounds.result import SAMPLINGS
from tests.analysis.topics.test_sentences import VERDICTS, numbers

NEEDS_A_THRESHOLD = {name for name, method in BOUNDS.items() if method.needs_threshold}
GIVEN_MODEL = (
    "given the model, members are a simple random sample of its training records; non-members are "
    "an independent sample of the population; no score depends on other sampled records; the "
    "numbers of members and non-members are fixed; the attack was not fitted to these scores"
)


@pytest.fixture(scope="module")
def overfitted() -> AttackScores:
    return read_sample("overfitted")


def bound(**changes: object) -> EpsilonBound:
    fields = {
        "low": 1.23999,
        "delta": 1e-5,
        "confidence_level": 0.95,
        "method": DEFAULT,
        "evidence": (),
        "n_members": 300,
        "n_nonmembers": 700,
        "sampling": GIVEN_MODEL,
        "applies_to": "instance",
    }
    return EpsilonBound(**{**fields, **changes})  # type: ignore[arg-type]


def said(answer: EpsilonBound, **claim: object) -> str:
    part = BoundsPart(question=BoundsQuestion(), bounds=(answer,))
    return summary(part, Analysis().result(Spec.of(**claim)))


def test_every_method_has_words() -> None:
    labels = {method.label for method in BOUNDS.values()}
    assert len(labels) == len(BOUNDS)
    assert "" not in labels
    assert [name for name in BOUNDS if method_label(name).endswith("(default)")] == [DEFAULT]


def test_the_default_is_that_of_lower_bound() -> None:
    scores = AttackScores(member=range(20, 60), nonmember=range(40))
    for sampling in (None, *SAMPLINGS):
        bound = audit.lower_bound(scores, delta=0.0, sampling=sampling)
        assert BoundsQuestion(sampling=sampling).method == bound.method


def test_methods_of_a_preset_threshold_are_asked_only_with_one() -> None:
    without, with_one = BoundsQuestion(), BoundsQuestion(threshold=0.1)
    assert set(BOUNDS) - set(without.methods) == NEEDS_A_THRESHOLD
    assert set(with_one.methods) == set(BOUNDS)
    assert len(with_one.methods) == len(BOUNDS)
    assert with_one.methods[0] == without.methods[0] == DEFAULT


def test_methods_with_a_condition_of_their_own_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpviz.analysis.topics.bounds.BOUNDS", dict(reversed(BOUNDS.items())))
    methods = BoundsQuestion(threshold=0.1).methods
    assert methods[0] == DEFAULT
    conditional = [BOUNDS[method].conditions(None) != GIVEN_MODEL for method in methods]
    assert any(conditional)
    assert conditional == sorted(conditional)


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        {},
        {"delta": 1e-3, "confidence_level": 0.9, "threshold": -9.0},
        {"directions": "both", "sampling": "independent_trainings"},
    ],
)
def test_each_answer_is_that_of_lower_bound(
    overfitted: AttackScores, question: dict[str, object]
) -> None:
    part = lower_bounds(overfitted, BoundsQuestion(**question))  # type: ignore[arg-type]
    options = {"delta": 1e-5, **question}
    for answer in part.bounds:
        alone = audit.lower_bound(overfitted, method=answer.method, **options)  # type: ignore[arg-type]
        assert answer.low == alone.low
        assert (answer.evidence, answer.direction) == (alone.evidence, alone.direction)
        assert answer.applies_to == alone.applies_to  # fair coins are refused here
    answered = [answer.method for answer in part.bounds]
    # No fair coins make 300 of 1797 records members.
    assert answered == [m for m in part.question.methods if not BOUNDS[m].requires_fair_coins]
    of_coins = [] if question.get("sampling") else ["one_run", "one_run_curve"]
    assert [method for method, _ in part.refusals] == of_coins
    assert all("got 300 members among 1797 records" in reason for _, reason in part.refusals)


def test_progress_is_told_of_every_method(overfitted: AttackScores) -> None:
    seen: list[range] = []

    def progress(rounds: range) -> range:
        seen.append(rounds)
        return rounds

    lower_bounds(overfitted, BoundsQuestion(), progress=progress)
    assert seen == [range(len(BOUNDS) - len(NEEDS_A_THRESHOLD))]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("delta", 2, r"delta must be in \[0, 1\], got 2"),
        ("confidence_level", 1, r"confidence_level must be in \[0.5, 1\), got 1"),
        ("sampling", "me", "sampling must be one of 'independent_trainings', .* got 'me'"),
        ("directions", "none", "directions must be one of 'attack', 'both', got 'none'"),
        ("threshold", "abc", "threshold must be a number, got 'abc'"),
        ("threshold", float("nan"), "threshold must be in .*, got nan"),
    ],
)
def test_a_question_out_of_range_is_refused(name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BoundsQuestion(**{name: value})  # type: ignore[arg-type]


def test_numpy_numbers_are_numbers() -> None:
    question = BoundsQuestion(delta=np.array(1e-3), threshold=np.float32(0.5))  # type: ignore[arg-type]
    assert (type(question.delta), type(question.threshold)) == (float, float)
    assert question == BoundsQuestion(delta=1e-3, threshold=0.5)


def test_the_sentence_says_number_level_method_and_sampling() -> None:
    text = said(bound(), epsilon=1.0)
    assert text.startswith(
        "Lower bound: ε ≥ 1.23 at δ = 1e-5 (95 % confidence, rank test over all thresholds). A "
        "lower bound cannot show that ε is small. The bound is for the ε of this trained model. "
        "The bound comes from 300 members and 700 non-members."
    )
    assert f"Assumed: {GIVEN_MODEL}." in text
    assert "estimate" not in text
    of_mechanism = said(bound(applies_to="mechanism", confidence_level=0.9), epsilon=1.0)
    assert "the ε of the training method" in of_mechanism
    assert "(90 % confidence" in of_mechanism


def test_the_printed_bound_is_never_above_the_bound() -> None:
    for low in np.random.default_rng(2).exponential(2, 200).tolist():
        printed = numbers(said(bound(low=low)))[0]
        assert 0.99 * low <= printed <= low


def test_a_bound_of_0_is_said_in_neutral_words() -> None:
    text = said(bound(low=0.0), epsilon=0.0)
    assert text.startswith("Lower bound: ε ≥ 0 at δ = 1e-5")
    assert "these records show no ε above 0" in text
    assert "cannot show that ε is small" in text
    assert "at least" not in text
    assert "The claim ε = 0 is not contradicted" in text


@pytest.mark.parametrize(
    ("epsilon", "margin"), [(1.0, "0.239"), (1.23, "0.00999"), (1.24, ""), (5.0, "")]
)
def test_the_claim_is_compared_with_the_bound_itself(epsilon: float, margin: str) -> None:
    text = said(bound(applies_to="mechanism"), epsilon=epsilon)
    claimed, contradicted = f"The claim ε = {epsilon:g} is", bool(margin)
    assert (
        f"{claimed} below the bound by at least {margin}: these records contradict the claim at "
        "this confidence."
    ) in text or not contradicted
    assert (f"{claimed} not contradicted" in text) != contradicted


def test_of_one_instance_the_claim_is_read_as_one_about_its_laws() -> None:
    text = said(bound(), epsilon=1.0)
    assert "these records contradict the claim, read as a claim about this trained model," in text
    assert "contradict it at" not in text


def test_what_else_a_bound_knows_is_said() -> None:
    text = said(bound(direction="reversed"))
    assert "records that the attack calls “non-member”" in text
    text = bound_sentences(bound(method="one_run", seed=7, seed_spread=0.0211))
    assert (
        "random seed, here 7 (standard deviation 0.0211). Report the bound of the first seed: the"
    ) in text
    for spread in (None, 0.0):
        assert "seed" not in bound_sentences(bound(method="one_run", seed=7, seed_spread=spread))
    warned = BoundsPart(question=BoundsQuestion(), bounds=(bound(warnings=("<one>", "two")),))
    result = analyze()
    assert cautions(warned, result) == "Caution: <one>; two."
    unwarned = BoundsPart(question=BoundsQuestion(), bounds=(bound(),))
    assert cautions(unwarned, result) == ""
    assert cautions(BoundsPart(question=BoundsQuestion()), result) == ""


def test_that_the_default_simulates_is_said_once_and_is_no_caution() -> None:
    rng = np.random.default_rng(4)
    scores = AttackScores(member=rng.normal(1, 1, 300), nonmember=rng.normal(0, 1, 300))
    result = analyze(scores, epsilon=1.0, delta=0.3, confidence_level=0.8)  # too large a delta
    found = audit.lower_bound(scores, delta=0.3, confidence_level=0.8)
    assert found.warnings
    text = " ".join(result.sentences[name] for name in ("bound", "cautions", "ceiling"))
    spread = f"(standard deviation of the bound: {found.seed_spread:.3g})"
    assert f"The p-values are simulated with the fixed seed 0 {spread}." in text
    assert "rank test, simulated)" in result.sentences["ceiling"]
    assert text.count("seed") == 1
    assert "Caution" not in text
    both = (*found.warnings, "<one>")
    part = BoundsPart(question=BoundsQuestion(), bounds=(bound(warnings=both),))
    assert cautions(part, analyze()) == "Caution: <one>."
    simulated = bound(seed=0, low=0.0, warnings=found.warnings)
    assert "with the fixed seed 0." in said(simulated)
    assert "a seed from their numbers." in said(bound(seed=0, low=0.0))
    assert "seed" not in said(bound())


def test_no_verdicts(overfitted: AttackScores) -> None:
    texts = [said(answer) for answer in (bound(), bound(low=0.0), bound(seed_spread=0.1))]
    part = lower_bounds(overfitted, BoundsQuestion(threshold=-9.0))
    texts += [" ".join(row) for row in (HEAD, *table(part).rows)]
    assert not any(re.search(VERDICTS, text, flags=re.IGNORECASE) for text in texts)


def test_the_table_names_assumptions_and_the_worst_measured_cell(
    overfitted: AttackScores, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {"delta": 1e-5, "truth": 1.0, "median": 0.5, "mean": 0.5, "runs": 10_000}
    cells = (
        Cell(law="null", n=100, method=DEFAULT, false=400, **shared),  # type: ignore[arg-type]
        Cell(law="laplace 1", n=2000, method=DEFAULT, false=490, **shared),  # type: ignore[arg-type]
        Cell(law="null", n=100, method="e_process", false=0, **shared),  # type: ignore[arg-type]
    )
    monkeypatch.setattr(measured_table, "measured_coverage", lambda: cells)
    equal = AttackScores.from_losses(
        member=-overfitted.member, nonmember=-overfitted.nonmember[:300]
    )
    part = lower_bounds(equal, BoundsQuestion(threshold=-9.0))
    rows = {row[0]: row[1:] for row in table(part).rows}
    assert HEAD[-1] == "false bounds at 95 % confidence"
    assert all(len(row) == len(HEAD) for row in table(part).rows)
    assert set(rows) == {method_label(method) for method in BOUNDS}
    low, high = binomtest(490, 10_000).proportion_ci(method="exact")
    rate = f"false in 4.9 % ({math.floor(1e4 * low) / 100} % to {math.ceil(1e4 * high) / 100} %)"
    worst = f"{rate} of 10000 runs, worst of 2 settings: laplace 1, n = 2000, δ = 1e-5"
    assert rows["rank test (default)"][1:] == ("none", "this trained model", worst)
    never = "false in 0 % (0 % to 0.0369 %) of 10000 runs, worst of 1 settings"
    assert rows["betting (anytime-valid)"][-1] == never
    assert rows["one-run audit"][-1] == "not measured"
    assert "fair" not in rows["fixed threshold, Clopper-Pearson"][1]
    assert rows["one-run audit"][1].startswith("one training run, fair coins")
    for answer in part.bounds:
        printed = float(rows[method_label(answer.method)][0])
        assert printed <= answer.low <= printed * 1.01 + 1e-12

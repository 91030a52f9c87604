"""`check_auditor` on planted auditors, and on those that return no bound."""

import random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import binomtest

from dpviz import audit
from dpviz.testing import check_auditor
from dpviz.testing.auditors import run
from dpviz.testing.auditors.cases import CASES, KnownCase
from dpviz.testing.auditors.distributions import ShiftedNoise
from dpviz.testing.auditors.result import AuditorCheck
from tests.testing.auditors import known

FAST = {"n_runs": 40, "n_compared": 0}


def test_a_search_that_pays_nothing_is_false_in_more_than_30_percent_of_null_runs() -> None:
    checked = check_auditor(
        known.right_guesses_at_best_threshold, cases=["null"], n_runs=300, n_compared=0
    )
    assert checked.exceeding == ("null",)
    assert checked.outcomes[0].false_low > 0.3


def test_an_auditor_without_delta_is_false_where_delta_matters() -> None:
    given = {"takes": "counts", "cases": ["null", "leak at the top"], **FAST}
    without = check_auditor(known.counts_without_delta, **given)
    assert without.exceeding == ("leak at the top",)
    assert check_auditor(audit.lower_bound_from_counts, **given).exceeding == ()


def test_valid_auditors_exceed_their_level_nowhere() -> None:
    counts = check_auditor(audit.lower_bound_from_counts, takes="counts", n_runs=50, n_compared=0)
    assert counts.exceeding == ()
    assert [case.name for case in counts.outcomes] == list(CASES)
    # A binomial test of guesses supposes that delta is nearly 0.
    small = [name for name, case in CASES.items() if case.fair_coins and case.delta < 0.01]
    guesses = check_auditor(
        known.binomial_of_guesses, takes="guesses", cases=small, n_runs=50, n_compared=0
    )
    assert guesses.exceeding == ()
    assert max(case.median for case in guesses.outcomes) > 1


@pytest.mark.slow
def test_the_default_keeps_its_level() -> None:
    # Where many scores matter at a large delta, a call takes seconds.
    small = [name for name, case in CASES.items() if case.delta < 0.01]
    checked = check_auditor(audit.lower_bound, cases=small, n_runs=40, n_compared=0)
    assert checked.exceeding == ()


def test_the_default_is_computed_on_the_same_scores() -> None:
    checked = check_auditor(audit.lower_bound, cases=["null, 40 records"], n_runs=6, n_compared=4)
    (case,) = checked.outcomes
    assert np.array_equal(case.bounds[:4], case.defaults[:4])
    assert np.isnan(case.defaults[4:]).all()
    assert (case.n_compared, case.median_compared) == (4, case.median_default)


def test_limits_are_scipys() -> None:
    checked = check_auditor(
        known.right_guesses_at_best_threshold, cases=["null, 40 records"], **FAST
    )
    (case,) = checked.outcomes
    limits = binomtest(case.n_false, 40).proportion_ci(0.95, "exact")
    assert (case.false_low, case.false_high) == pytest.approx((limits.low, limits.high))


@pytest.mark.parametrize("n_false", range(4, 12))
def test_a_case_exceeds_the_level_by_a_binomial_test(n_false: int) -> None:
    left = iter([2.0] * n_false + [0.0] * 80)
    checked = check_auditor(
        lambda scores, **_: next(left), cases=["Laplace", "weak Laplace"], **FAST
    )
    found = binomtest(n_false, 40, 0.05, alternative="greater").pvalue
    assert checked.exceeding == (("Laplace",) if found <= 0.01 / 2 else ())


@pytest.mark.parametrize(("stated", "false"), [(1.001, 30), (0.999, 0)])
def test_reversed_scores_have_the_epsilon_of_both_directions(stated: float, false: int) -> None:
    checked = check_auditor(
        lambda scores, **_: stated, cases=["Laplace, reversed"], n_runs=30, n_compared=0
    )
    assert checked.outcomes[0].n_false == false


def answers_of(values: list[Any]) -> AuditorCheck:
    left = iter(values)

    def auditor(scores: Any, delta: float, confidence_level: float) -> Any:
        value = next(left)
        if isinstance(value, BaseException):
            raise value
        return value

    return check_auditor(auditor, cases=["Laplace"], n_runs=len(values), n_compared=0)


def test_what_is_no_bound_is_counted_apart() -> None:
    raised = [ValueError("one\ntwo"), SystemExit(2), None, "0.5", [1.0, 2.0], 1j, True]
    numbers = [0.5, np.float32(1.5), np.array([2.0]), -0.1, -np.inf, np.inf, 0]
    checked = answers_of([*raised, np.nan, *numbers])
    (case,) = checked.outcomes
    assert case.message == "ValueError: one two"
    assert (case.n_raised, case.n_nan, case.n_negative, case.n_infinite) == (7, 1, 2, 1)
    # A negative number is a true bound; infinity is a false one, as epsilon is 1.
    assert (case.n_judged, case.n_false, case.n_runs) == (7, 3, 15)
    assert "7 of 15 raised an error (ValueError: one two), 1 of 15 returned NaN" in str(checked)
    assert len(str(checked).splitlines()) == 2


def test_an_auditor_without_a_number_is_not_said_to_be_right() -> None:
    checked = answers_of([np.nan] * 3)
    assert checked.headline == "The auditor returned no number."
    assert checked.exceeding == ()
    assert ElementTree.fromstring(checked.svg()) is not None


def test_a_bound_object_has_its_low_end_read() -> None:
    bound = audit.lower_bound_from_counts(
        false_positives=0, n_nonmembers=100, false_negatives=0, n_members=100, delta=0
    )
    assert answers_of([bound]).outcomes[0].bounds.tolist() == [bound.low]


def test_global_random_states_are_seeded_and_restored() -> None:
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    given = {"cases": ["null", "Laplace"], "n_runs": 5, "n_compared": 0}
    one, other = (check_auditor(known.by_global_state, **given, rng=3) for _ in range(2))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
    assert one == other
    assert one.outcomes[0].n_global_state == 5
    assert len({*one.outcomes[0].bounds}) == 5
    assert check_auditor(lambda scores, **_: 0.0, **given).outcomes[0].n_global_state == 0


def test_an_auditor_changes_neither_scores_nor_settings() -> None:
    def auditor(scores: Any, **_: Any) -> float:
        np.seterr(all="raise")
        scores.member[0] = 9.0
        return 0.0

    before = np.geterr()
    (case,) = check_auditor(auditor, cases=["null"], n_runs=3, n_compared=3).outcomes
    assert np.geterr() == before
    assert (case.n_raised, case.message) == (3, "ValueError: assignment destination is read-only")
    assert np.isfinite(case.defaults).all()


def test_a_generator_is_given_to_an_auditor_that_takes_one() -> None:
    def auditor(scores: Any, delta: float, confidence_level: float, rng: Any) -> float:
        return float(rng.random())

    found = [check_auditor(auditor, cases=["null"], n_runs=3, n_compared=0) for _ in range(2)]
    assert found[0] == found[1]
    assert len({*found[0].outcomes[0].bounds}) == 3


def test_a_case_ends_with_its_third_call_that_hangs() -> None:
    checked = check_auditor(
        known.hangs, cases=["null", "Laplace"], n_runs=30, n_compared=0, time_limit=0.05
    )
    for case in checked.outcomes:
        assert (case.n_timed_out, case.n_runs) == (3, case.n_judged + 3)
        assert case.bounds[:-1][~np.isnan(case.bounds[:-1])].tolist() == [0.25] * case.n_judged
    assert "took longer than the time limit" in str(checked)


def test_processes_change_nothing() -> None:
    given = {"cases": ["null", "Gaussian"], "n_runs": 6, "n_compared": 0, "rng": 2}
    one, two = (
        check_auditor(known.right_guesses_at_best_threshold, **given, processes=n) for n in (1, 2)
    )
    assert one == two


@pytest.mark.slow
def test_processes_that_hang_or_end_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "GRACE", 0.2)
    given = {"cases": ["null"], "n_compared": 0, "processes": 2}
    hanging = check_auditor(known.handles_everything, **given, n_runs=5, time_limit=0.2)
    assert (hanging.outcomes[0].n_timed_out, hanging.outcomes[0].n_judged) == (3, 0)
    ending = check_auditor(known.ends_its_process, **given, n_runs=6).outcomes[0]
    assert ending.message == "the process ended with code -9"
    assert 0 < ending.n_raised < 6
    assert ending.n_judged == 6 - ending.n_raised


def test_other_processes_must_be_able_to_read_the_auditor() -> None:
    with pytest.raises(ValueError, match="auditor must be a function at the top of a module, for"):
        check_auditor(lambda scores, **_: 0.0, cases=["null"], **FAST, processes=2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cases": ["nul"]}, "cases must be one of 'null', "),
        ({"cases": []}, "cases must be at least one case"),
        ({"cases": ["null", "null"]}, "each with a name of its own"),
        ({"cases": ["null, 30 + 1000"], "takes": "guesses"}, "cases with fair coins"),
        ({"takes": "losses"}, "takes must be one of"),
        ({"n_runs": 0}, "n_runs must be a whole number"),
        ({"n_compared": -1}, "n_compared must be"),
        ({"confidence_level": 95}, "confidence_level must be in"),
        ({"time_limit": 0}, "time_limit must be in"),
        ({"processes": 0}, "processes must be"),
        ({"rng": -1}, "rng must be"),
    ],
)
def test_arguments_out_of_range_are_said_in_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        check_auditor(lambda scores, **_: 0.0, **wrong)
    assert "\n" not in str(raised.value)


def test_an_auditor_must_be_a_function() -> None:
    with pytest.raises(TypeError, match="auditor must be a function, got 3"):
        check_auditor(3)  # type: ignore[arg-type]


def test_own_cases_may_be_given() -> None:
    case = KnownCase(
        name="mine", draw=ShiftedNoise("laplace", 2.0), epsilon=2.0, delta=0.0, n_members=10
    )
    checked = check_auditor(lambda scores, **_: 2.5, cases=[case, "null"], **FAST)
    assert [each.name for each in checked.outcomes] == ["mine", "null"]
    assert checked.exceeding == ("mine", "null")


def test_a_bar_counts_all_calls(capsys: pytest.CaptureFixture[str]) -> None:
    check_auditor(lambda scores, **_: 0.0, cases=["null"], **FAST, progress=True)
    assert "40/40" in capsys.readouterr().err


@pytest.fixture(scope="module")
def mixed() -> AuditorCheck:
    return check_auditor(
        known.right_guesses_at_best_threshold,
        cases=["null, 40 records", "Laplace", "Gaussian"],
        n_runs=60,
        n_compared=1,
    )


def test_there_is_a_row_for_each_case(mixed: AuditorCheck) -> None:
    frame = mixed.to_frame()
    assert frame["name"].tolist() == ["null, 40 records", "Laplace", "Gaussian"]
    assert frame["n_false"].tolist() == [case.n_false for case in mixed.outcomes]
    assert {"false_low", "false_high", "median", "median_default"} <= {*frame.columns}


def test_pictures_have_a_row_for_each_case_and_what_they_show(mixed: AuditorCheck) -> None:
    for names in ((), ("false",), ("power",)):
        text = " ".join(ElementTree.fromstring(mixed.svg(*names)).itertext())
        assert all(case.name in text for case in mixed.outcomes)
        assert ("allowed: 5 %" in text) == (names != ("power",))
        assert ("dpviz' default" in text) == (names != ("false",))
    with pytest.raises(ValueError, match="name must be one of 'false', 'power'"):
        mixed.svg("both")  # type: ignore[arg-type]


def test_pictures_are_saved(mixed: AuditorCheck, tmp_path: Any) -> None:
    mixed.save_svg(tmp_path / "a.svg")
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")

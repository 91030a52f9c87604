"""An experiment under way: what it adds up to, and that the words are a recount of it."""

import dataclasses
import math
import re

import numpy as np
import pytest
from scipy.stats import chisquare

from dpviz.analysis.topics import experiment as say
from dpviz.analysis.topics.experiment import MORE_RUNS, RECORDED_ROUNDS, ExperimentPart, advance
from dpviz.audit.experiment import Experiment, ExperimentCounts, PlayedRounds
from dpviz.number_format import percent, short, upper
from dpviz.theory import ApproximateDP, GaussianDP, ListExperiment, PureDP, risk

VERDICTS = r"\b(safe|unsafe|secure|good|bad|violat\w+|private enough|risky)\b"


def begun(prior: float = 0.1, fpr: float = 0.2) -> ExperimentPart:
    return ExperimentPart.before_first_round(Experiment(GaussianDP(mu=1.0), prior, fpr))


def played(*steps: int, part: ExperimentPart | None = None, seed: int = 0) -> ExperimentPart:
    part, rng = part or begun(), np.random.default_rng(seed)
    for rounds in steps:
        part = advance(part, rng, rounds)
    return part


@pytest.mark.parametrize("steps", [(1,), (1, 1, 1), (100,), (7, 1, 92, 1), (3, 1_000_000, 5)])
def test_everything_counts_the_same_rounds(steps: tuple[int, ...]) -> None:
    part, total = played(*steps), sum(steps)
    assert part.counts.rounds == total
    assert part.last is not None
    assert part.last.members.shape == (1,)
    assert part.repeats.shape == (MORE_RUNS, 4)
    assert set(part.repeats.sum(axis=1)) == {total}
    stops = part.milestones[:, 0]
    np.testing.assert_array_equal(stops, [n for n in RECORDED_ROUNDS if n <= total])
    np.testing.assert_array_equal(part.milestones[:, 1:].sum(axis=1), stops)
    assert (np.diff(part.milestones, axis=0) >= 0).all()
    assert (part.milestones[-1, 1:] <= part.counts.tally).all()


def test_a_part_is_not_changed_by_going_on() -> None:
    part = played(50)
    before = part.counts, part.milestones.copy(), part.repeats.copy()
    assert advance(part, np.random.default_rng(1), 1000).experiment is part.experiment
    assert part.counts == before[0]
    np.testing.assert_array_equal(part.milestones, before[1])
    np.testing.assert_array_equal(part.repeats, before[2])


@pytest.mark.slow
@pytest.mark.parametrize("steps", [(1,) * 10, (3, 7), (10,)])
def test_steps_do_not_change_the_law(steps: tuple[int, ...]) -> None:
    rng, part = np.random.default_rng(5), begun()
    runs = [begun()] * 1000
    for rounds in steps:
        runs = [advance(run, rng, rounds) for run in runs]
    seen = np.sum([run.counts.tally for run in runs], axis=0)
    tpr = part.experiment.tpr
    chances = np.array([0.1 * tpr, 0.9 * 0.2, 0.9 * 0.8, 0.1 * (1 - tpr)])
    assert chisquare(seen, chances * seen.sum()).pvalue > 1e-6


def test_running_estimates_are_ratios_at_the_milestones() -> None:
    part = played(1, 1, 30, 500)
    running = part.running_estimates()
    for name in ("ppv", "tpr", "fpr"):
        assert np.isfinite(running[name]).all()
        assert running[name][-1].tolist() == [532, getattr(part.counts, name).value]
    rounds, tp, fp, _, _ = part.milestones[part.milestones[:, 0] == 20][0]
    at_20 = running["ppv"][running["ppv"][:, 0] == 20]
    assert at_20.tolist() == [[rounds, tp / (tp + fp)]]
    assert len(begun().running_estimates()["ppv"]) == 0


def test_the_cloud_leaves_out_what_has_no_place() -> None:
    assert begun().error_rates_of_repeats.shape == (0, 2)
    few, many = played(3).error_rates_of_repeats, played(100_000).error_rates_of_repeats
    assert 0 < len(few) < MORE_RUNS == len(many)
    assert np.isfinite(few).all()
    f = GaussianDP(mu=1.0)
    np.testing.assert_allclose(many.mean(axis=0), [0.2, f.beta(0.2)], atol=0.005)


def test_a_list_is_played_along() -> None:
    claim = ListExperiment(support=(0.5, 0.5, 0.5))
    part = played(10, 500, part=ExperimentPart.before_first_round(Experiment(claim, 0.3, 0.1)))
    assert part.answers is not None
    assert part.answers.rounds == 510
    assert played(10).answers is None


@pytest.mark.parametrize(
    ("member", "guess", "ending"),
    [
        (True, True, "the record was a member; the attack at FPR 20 % said member: a hit."),
        (True, False, "the record was a member; the attack at FPR 20 % said non-member: a miss."),
        (False, True, "was a non-member; the attack at FPR 20 % said member: a false alarm."),
        (
            False,
            False,
            "; the attack at FPR 20 % said non-member: a correct rejection.",
        ),
    ],
)
def test_the_last_round_in_words(member: bool, guess: bool, ending: str) -> None:
    last = PlayedRounds(members=np.array([member]), guesses=np.array([guess]))
    part = dataclasses.replace(played(17), last=last)
    assert say.last_round_sentence(part).startswith("Round 17: ")
    assert say.last_round_sentence(part).endswith(ending)
    assert say.last_round_sentence(begun()) == (
        "No round is played yet. The attack is the best one that the claim allows at FPR 20 %."
    )


def spaced(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_frequencies_are_a_recount() -> None:
    claim = ApproximateDP(epsilon=1.0, delta=1e-5)
    part = ExperimentPart.before_first_round(Experiment(claim, 0.01, 0.01))
    before = (
        "Of 10 000 people 100 are members and 9 900 are not. At FPR 1 %, 99 non-members are "
        "flagged, and the claim allows at most 2.72 members to be flagged on average. Then at "
        "most 2.68 % of the flagged people are members (PPV)."
    )
    assert spaced(say.natural_frequencies_text(part)) == before
    assert risk.ppv(claim, fpr=0.01, prior=0.01) == pytest.approx(0.0267, abs=1e-4)
    part = played(200_000, part=part)
    counts = part.counts
    hits, flagged = counts.true_positives, counts.true_positives + counts.false_positives
    assert spaced(say.natural_frequencies_text(part)) == before + spaced(
        f" In 200 000 rounds, {hits} of the {say.count_text(flagged)} flagged were members: PPV "
        f"{percent(hits / flagged)} (an estimate; the claim allows at most 2.68 %). This attack is "
        "the best one that the claim allows, so its estimates converge to the limits, from either "
        "side."
    )


@pytest.mark.parametrize(
    ("prior", "people"),
    [
        (0.5, "10 000 people 5 000 are members and 5 000 are not"),
        (1e-4, "10 000 people 1 is a member and 9 999 are not"),
        (0.000891, "100 000 people about 89 are members and about 99 911 are not"),
        (1e-7, "10 000 000 people 1 is a member and 9 999 999 are not"),
        (
            1e-310,
            "1 000 000 000 000 000 people about 1e-295 are members and 1 000 000 000 000 000 "
            "are not",
        ),
    ],
)
def test_people_are_whole_where_they_can_be(prior: float, people: str) -> None:
    part = ExperimentPart.before_first_round(Experiment(PureDP(epsilon=1.0), prior, 0.01))
    assert spaced(say.natural_frequencies_text(part)).startswith(f"Of {people}.")


def test_nobody_flagged_is_no_ppv() -> None:
    part = played(
        5, part=ExperimentPart.before_first_round(Experiment(PureDP(epsilon=1.0), 0.5, 0.0))
    )
    assert say.natural_frequencies_text(part).endswith(
        "In 5 rounds nobody was flagged: no PPV so far."
    )
    rows = {row[0]: row for row in say.table(part).rows}
    assert rows["PPV"][1:3] == (
        "0 of 0 flagged records",
        "undefined: no flagged records so far",
    )


def test_the_table_is_a_recount() -> None:
    part = played(1000)
    counts, f = part.counts, GaussianDP(mu=1.0)
    rows = {row[0]: row for row in say.table(part).rows}
    assert all(len(row) == len(say.HEAD) for row in rows.values())
    assert rows["TPR"][1] == f"{counts.true_positives} of {counts.members} members"
    assert rows["TPR"][2] == percent(counts.true_positives / counts.members)
    assert rows["TPR"][4] == f"at most {percent(upper(f.tpr(0.2)))}"
    low, high = counts.fpr.interval(confidence_level=0.95)
    shown = [float(n) / 100 for n in re.findall(r"[\d.]+(?= %)", rows["FPR"][3])]
    assert shown[0] <= low <= 0.2 <= high <= shown[1]
    np.testing.assert_allclose(shown, [low, high], rtol=0.01)
    assert rows["FPR"][4] == "set to 20 %"
    assert rows["PPV"][4] == f"at most {percent(upper(risk.ppv(f, fpr=0.2, prior=0.1)))}"
    advantage = counts.true_positives / counts.members - counts.false_positives / counts.nonmembers
    assert rows["advantage"][2] == short(advantage)
    assert rows["advantage"][4] == f"at most {short(upper(f.tpr(0.2) - 0.2))}"
    assert "Rounds played: 1\N{NO-BREAK SPACE}000." in say.table(part).caption


def test_why_a_list_gives_away() -> None:
    claim = ListExperiment(support=(0.5, 0.5, 0.5))
    part = ExperimentPart.before_first_round(Experiment(claim, 0.3, 0.1))
    said = say.revealing_answers_text(part)
    assert (
        "The answer 4 reveals a supporter of the sensitive item, because an opponent names at most "
        "3"
    ) in said
    assert "The answer 0 reveals an opponent, because a supporter names at least 1." in said
    assert "12.5 % of the supporters and 12.5 % of the opponents" in said
    assert say.list_experiment_table(part).rows == []
    part = played(600, part=part)
    answers = part.answers
    assert answers is not None
    told = int(answers.opponents[0] + answers.supporters[4])
    assert (
        f"Of 600 further respondents, {told} revealed their opinion"
        in say.revealing_answers_text(part)
    )
    table = say.list_experiment_table(part).rows
    assert [row[0] for row in table] == ["0", "1", "2", "3", "4"]
    assert [row[3] for row in table] == ["opponents only", *["both"] * 3, "supporters only"]
    assert sum(int(row[1]) + int(row[2]) for row in table) == 600
    assert say.revealing_answers_text(begun()) == ""
    assert "supports the sensitive item" in say.game_rules_text(part)


def test_known_opinions_move_the_extremes() -> None:
    claim = ListExperiment(support=(1.0, 0.0, 0.3))
    part = played(50, part=ExperimentPart.before_first_round(Experiment(claim, 0.3, 0.1)))
    assert "The answer 3 reveals a supporter" in say.revealing_answers_text(part)
    assert "The answer 1 reveals an opponent" in say.revealing_answers_text(part)
    assert "30 % of the supporters and 70 % of the opponents" in say.revealing_answers_text(part)
    assert [row[3] for row in say.list_experiment_table(part).rows] == [
        "nobody",
        "opponents only",
        "both",
        "supporters only",
        "nobody",
    ]


@pytest.mark.parametrize(
    "asked",
    [
        Experiment(PureDP(epsilon=0.0), 1e-6, 0.0),
        Experiment(PureDP(epsilon=math.inf), 1 - 1e-9, 1.0),
        Experiment(ApproximateDP(epsilon=1.0, delta=1.0), 0.5, 0.0),
        Experiment(ListExperiment(support=(1.0,)), 0.3, 0.0),
        Experiment(ListExperiment(support=(0.0, 1.0)), 0.3, 0.5),
    ],
    ids=repr,
)
def test_corners_have_sentences_without_verdicts(asked: Experiment) -> None:
    for part in (
        ExperimentPart.before_first_round(asked),
        played(1, part=ExperimentPart.before_first_round(asked)),
    ):
        texts = [
            say.game_rules_text(part),
            say.last_round_sentence(part),
            say.natural_frequencies_text(part),
            say.table(part).caption,
            say.revealing_answers_text(part),
            *sum(say.table(part).rows + say.list_experiment_table(part).rows, ()),
        ]
        said = " ".join(texts)
        assert "nan" not in said
        assert not re.search(VERDICTS, said, re.IGNORECASE)
        assert ExperimentCounts() == ExperimentPart.before_first_round(asked).counts


def test_a_list_too_long_to_give_anybody_away_is_said() -> None:
    claim = ListExperiment(support=(0.5,) * 1_070)
    assert 0 < claim.tpr(0.0) < 1e-300
    text = say.revealing_answers_text(
        ExperimentPart.before_first_round(Experiment(claim, 0.5, 0.1))
    )
    assert "no ε has a δ below" in text

"""The answer: its state, what each sentence says of the numbers, and the ruler with all of them."""

import math
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dpviz
from dpviz import Analysis, AttackScores, Result, Spec, audit, read_sample, theory
from dpviz.analysis.state.code import python_code
from dpviz.analysis.topics.answer import (
    ADJACENCIES,
    RULER,
    Answer,
    RulerLabel,
    labels_in_rows,
    largest_epsilon_on_ruler,
    outcome_depends_on_adjacency,
    ruler_sentence,
)
from dpviz.drawing.svg import SvgFrame
from dpviz.number_format import percent
from dpviz.reports.material import report_data
from dpviz.reports.write import report_as, report_of
from dpviz.widgets import AnswerView
from tests.pictures.reading import parse, vertices

SAMPLE = read_sample("overfitted")


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return Analysis(SAMPLE)


def answered(analysis: Analysis, **spec: object) -> Result:
    chosen = Spec.of(**spec)
    analysis.prepare_audit(chosen)
    return analysis.result(chosen)


def test_a_contradiction_is_said_with_its_bound_rounded_down(analysis: Analysis) -> None:
    result = answered(analysis)
    low = audit.lower_bound(SAMPLE, delta=1e-5).low
    assert low > 1
    assert result.answer.state == "contradicted"
    assert result.answer.certified == low
    assert result.sentences["answer"] == "The losses contradict the claim ε = 1."
    shown = math.floor(low * 100) / 100
    assert result.sentences["answer_detail"] == (
        f"The losses certify ε ≥ {shown} for this trained model (95 % confidence, δ = 1e-5). "
        "Sample: 300 members, 1497 non-members, enough to certify up to ε = 6.4. Assumed: members "
        "have low losses; replace-one adjacency."
    )


@pytest.mark.parametrize(
    ("n", "epsilon", "text"),
    [
        (1, 1.0, "Sample: 1 member, 1 non-member."),  # it says why nothing is decided
        (1, None, "Sample: 1 member, 1 non-member, too few to certify any ε above 0."),
        (1000, None, "Sample: 1000 members, 1000 non-members, enough to certify up to ε = 6."),
    ],
)
def test_the_number_of_records_is_said_with_what_it_could_certify(
    n: int, epsilon: float | None, text: str
) -> None:
    scores = np.arange(n), n + np.arange(n)
    result = dpviz.analyze(scores, **({"epsilon": epsilon} if epsilon else {}))
    assert text in result.sentences["answer_detail"]


def test_nothing_depends_on_the_adjacency_before_the_claim_is_tested() -> None:
    assert not outcome_depends_on_adjacency(Analysis(SAMPLE).result(Spec()))


LOSSES = ([0.1, 0.2, 0.3, 0.4], [0.25, 0.5, 0.6, 0.7])


@pytest.mark.parametrize("spec", [{}, {"delta": 1e-3}])
def test_without_a_claim_none_is_tested(spec: dict[str, float]) -> None:
    result = dpviz.analyze(LOSSES, **spec)
    assert (result.answer.state, result.answer.claimed) == ("no claim", None)
    assert result.sentences["answer"].startswith("No claim is tested")
    assert "claim" not in result.sentences["answer_detail"]
    for form in (".html", ".md", ".tex", ".json"):
        made = report_as(form, result).decode()
        assert "No claim is tested" in made
        assert "contradict the claim" not in made
    for claimed in ({"epsilon": 1.0}, {"claim": (1.0, 1e-3)}):
        assert dpviz.analyze(LOSSES, **claimed).answer.state == "cannot decide"


def test_a_report_that_cannot_decide_has_no_row_that_says_more() -> None:
    result = dpviz.analyze(([0.1, 0.2], [0.3, 0.4]), epsilon=1.0)
    assert result.answer.state == "cannot decide"
    row = report_of(report_data(result)).field("consistency", "contradicted")
    assert row.text == "not decided"
    assert r"claim & not decided" in report_as(".tex", result).decode()


def test_copies_are_said_in_the_first_sentence() -> None:
    rng = np.random.default_rng(0)
    member, nonmember = rng.exponential(0.5, 40), rng.exponential(1.0, 40)
    once, ten = (
        dpviz.analyze((np.repeat(member, k), np.repeat(nonmember, k)), epsilon=1.0) for k in (1, 10)
    )
    copies = " (720 of 800 records are copies of others, and do not count)"
    assert ten.sentences["answer"] == once.sentences["answer"].replace("losses", f"losses{copies}")
    assert ten.sentences["answer_detail"] == once.sentences["answer_detail"]
    assert ten.answer == once.answer


# By claim and spec: what is said of the adjacency, in short and in whole.
STATED = "approximate:epsilon=1.5,delta=1e-5,adjacency=add_remove"
CHANGED = "add/remove adjacency."
READINGS: list[tuple[str, dict[str, object], str, str]] = [
    (
        "1.5,1e-5",
        {},
        "Assumed: members have low losses; replace-one adjacency.",
        "The claim is read as replace-one. Read as add/rem",
    ),
    (
        "1.5,1e-5",
        {"facts": {"adjacency": "replace_one"}},
        "Assumed: members have low losses. Stated: replace-one adjacency.",
        "is read as replace-one",
    ),
    ("1.5,1e-5", {"neighbours": "add_remove"}, CHANGED, "tested under add/remove adjacency;"),
    (
        STATED,
        {},
        CHANGED,
        "read as add/remove, so it allows ε = 3, δ = 5.48e-5 if a record is replaced.",
    ),
]


@pytest.mark.parametrize(("claim", "spec", "short", "whole"), READINGS)
def test_the_adjacency_is_said_wherever_the_answer_is_handed_over(
    claim: str, spec: dict[str, object], short: str, whole: str, tmp_path: Path
) -> None:
    result = dpviz.analyze(LOSSES, claim=claim, **spec)
    reading = result.sentences["reading"]
    assert result.sentences["answer_detail"].endswith(short)
    assert whole in reading
    made = {form: report_as(form, result).decode() for form in (".html", ".md", ".json", ".tex")}
    view = AnswerView(scores=dpviz.read_scores(LOSSES), claim=claim, **spec)
    view.save_html(tmp_path / "page.html")
    made["page"] = (tmp_path / "page.html").read_text("utf-8")
    made["nbconvert"] = view.static_bundle()["text/html"]
    for form, text in made.items():
        letters = re.sub(r"\\ensuremath\{\\(?:var)?(epsilon|delta)\}", _greek, text)
        plain = unescape(letters).replace("\xa0", " ")
        assert short in plain, form
        assert reading.partition(",")[0] in plain, form
    field = report_of(report_data(result)).field("claim", "adjacency")
    assert f"{ADJACENCIES[field.value]} adjacency." in short
    assert field.note == reading


def _greek(found: re.Match[str]) -> str:
    return {"epsilon": "ε", "delta": "δ"}[found[1]]


def test_where_a_larger_delta_certifies_more_the_answer_says_why(analysis: Analysis) -> None:
    small, large = (answered(analysis, delta=delta) for delta in (1e-5, 1e-3))
    assert large.answer.certified > small.answer.certified
    why = "each δ has its own test, so the certified ε may rise slightly with δ; the true ε cannot."
    assert why in large.sentences["answer_detail"]
    assert why not in small.sentences["answer_detail"]


def test_headline_and_bound_of_a_converted_claim_agree_on_its_numbers() -> None:
    claim = theory.ApproximateDP(epsilon=1.5, delta=1e-5, adjacency="add_remove")
    said = dpviz.analyze((np.arange(30), np.arange(20, 50)), claim=claim).sentences
    assert "ε = 1.5 (add/remove)" in said["answer"]
    (delta,) = {*re.findall(r"δ = (5[^,) ]+\d)", said["answer_detail"] + said["reading"])}
    assert float(delta) == pytest.approx((1 + math.exp(1.5)) * 1e-5, rel=1e-3)


def test_what_is_certified_does_not_depend_on_a_guarantee_that_nobody_claims(
    analysis: Analysis,
) -> None:
    """Where the kernel is gone, the browser tests the first claim that is made; this text stays."""
    untested, unclaimed = (
        answered(analysis, **spec).sentences["answer_detail"]
        for spec in ({"tested": False}, {"epsilon": math.inf})
    )
    assert untested == unclaimed


def test_what_is_not_contradicted_is_not_confirmed(analysis: Analysis) -> None:
    result = answered(analysis, epsilon=4.0)
    assert result.answer.state == "not contradicted"
    assert "do not contradict ε = 4. That does not confirm it." in result.sentences["answer"]


def test_beyond_the_ceiling_so_few_records_cannot_decide(analysis: Analysis) -> None:
    result = answered(analysis, epsilon=8.0)
    most = audit.ceiling(n_members=300, n_nonmembers=1497, delta=1e-5)
    assert most < 8
    assert result.answer.state == "cannot decide"
    assert result.sentences["answer"] == "These losses cannot decide whether ε = 8 holds."
    assert result.sentences["answer_detail"].startswith(
        "Even a perfect attack on so few records certifies at most ε = "
        f"{math.ceil(most * 100) / 100}. The losses certify ε ≥ 2.76 "
    )


def test_a_claim_of_another_form_is_decided_by_its_own_test(analysis: Analysis) -> None:
    for mu, state in ((1.0, "contradicted"), (3.0, "not contradicted")):
        claim = theory.GaussianDP(mu=mu)
        result = answered(analysis, claim=claim)
        assert audit.curve_test(SAMPLE, claim).rejected == (state == "contradicted")
        assert result.answer.state == state
    # Its epsilon is above the bound: the ruler alone would not show the contradiction.
    assert answered(analysis, claim=theory.GaussianDP(mu=1.0)).answer.claimed > 2.75


@pytest.mark.parametrize(
    "claim",
    [
        {"epsilon": math.inf},
        {"claim": theory.GaussianDP(mu=math.inf)},
        {"claim": theory.TotalVariation(delta=1.0)},
    ],
)
def test_what_allows_every_attack_is_no_claim(analysis: Analysis, claim: dict[str, object]) -> None:
    before = Analysis(SAMPLE).result(Spec.of(**claim))
    result = answered(analysis, **claim)
    for each in (before, result):
        assert (each.answer.state, each.answer.claimed) == ("no claim", None)
        said = each.sentences
        assert said["answer"] == "No claim is tested. The pictures show only the losses."
        assert said["at_one_percent"] == (
            "At FPR 1 % this attack catches 1.67 % of the members (5 of 300, an estimate)."
        )
    assert result.sentences["answer_detail"].startswith("The losses certify ")
    without = dpviz.analyze(**claim)
    assert "is no guarantee" in without.sentences["answer"]
    assert (without.answer.state, without.answer.claimed) == ("promise", None)


def test_a_claim_without_an_epsilon_at_this_delta_still_claims_something(
    analysis: Analysis,
) -> None:
    result = answered(analysis, claim=theory.GaussianDP(mu=1.0), delta=0.0)
    assert (result.answer.state, result.answer.claimed) == ("contradicted", math.inf)


def test_before_the_audit_nothing_is_said_of_its_outcome() -> None:
    """Nor between the bound and the ceiling: until then it is open why nothing is contradicted."""
    analysis = Analysis(SAMPLE)
    assert analysis.result(Spec()).answer.state == "computing"

    def first(rounds: range) -> object:
        yield from rounds[:2]

    analysis.prepare_audit(Spec(), progress=first)
    assert analysis.result(Spec()).answer.state == "contradicted"
    assert analysis.result(Spec()).answer.ceiling is None
    assert analysis.result(Spec.of(epsilon=4.0)).answer.state == "computing"


def test_a_refused_test_says_why(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpviz.audit.bounds.rank.MOST_WORK", 0)  # simulated p-values
    result = answered(analysis, confidence_level=0.999999)
    assert result.answer.state == "cannot decide"
    assert result.sentences["answer"] == "These losses cannot decide whether ε = 1 holds."
    assert "Confidence_level must be at most 0.9999" in result.sentences["answer_detail"]
    assert "300 members, 1497 non-members." in result.sentences["answer_detail"]


def test_without_scores_it_is_what_the_claim_allows() -> None:
    result = dpviz.analyze(epsilon=1.0, delta=1e-5, fpr=0.01)
    allowed = 100 * (1e-5 + math.e * 0.01)  # tpr <= delta + e^eps fpr
    assert result.answer.state == "promise"
    shown = f"{math.ceil(allowed * 100) / 100}"
    assert result.sentences["answer"] == (
        f"At FPR 1 %, ε = 1 lets an attack catch at most {shown} % of the members."
    )
    # Posterior odds at FPR 1 %: prior odds times TPR / FPR.
    assert f"odds of at most {shown} to 1" in result.sentences["odds"]


def test_of_100_members_at_one_percent_whatever_is_selected(analysis: Analysis) -> None:
    loss = np.sort(SAMPLE.nonmember)[::-1]
    caught = int(np.sum(SAMPLE.member > loss[14]))  # 14 of 1497 are 0.94 %
    for fpr in (None, 0.3):
        text = answered(analysis, fpr=fpr).sentences["at_one_percent"]
        assert f"catches {caught / 3:.3g} % of the members ({caught} of 300, an estimate)" in text
    for n, share in ((0, "0 %"), (1, "0.333 %")):
        members = [0.0] * n + [1.0] * (300 - n)  # losses, of which the first are the lowest
        text = dpviz.analyze((members, [1.0] * 300)).sentences["at_one_percent"]
        assert f"catches {share} of the members ({n} of 300, an estimate)" in text


@pytest.mark.slow
def test_where_one_percent_does_not_show_the_contradiction_its_clearest_place_is_named(
    analysis: Analysis,
) -> None:
    result = answered(analysis)
    place = result.sample.audit.test.place
    assert result.sample.at_one_percent.tpr < result.claim.claim.tpr(0.01)
    clearest = f". The contradiction is clearest at FPR {percent(place.fpr)}."
    assert result.sentences["at_one_percent"].endswith(clearest)
    # Nothing is contradicted, or FPR 1 % shows it: then there is nothing to add.
    for scores, claim in ((SAMPLE, 4.0), (read_sample("gamma"), 1.0)):
        other = dpviz.analyze(scores, epsilon=claim)
        assert "clearest" not in other.sentences["at_one_percent"]


def test_reversed_scores_are_named() -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(-1, 1, 200), nonmember=rng.normal(0, 1, 200))
    assert "The scores look reversed (AUC 0." in dpviz.analyze(scores).sentences["answer_detail"]


@pytest.mark.parametrize(("delta", "is_said"), [(1 / 300, True), (0.003, False), (0.05, True)])
def test_a_delta_that_releasing_a_record_satisfies_is_said(
    analysis: Analysis, delta: float, is_said: bool
) -> None:
    said = analysis.result(Spec.of(delta=delta)).sentences["large_delta"]
    assert (
        "A mechanism that publishes one random record of the 300 training records" in said
    ) is is_said
    of_mechanism = Spec.of(delta=delta, sampling="independent_trainings")
    assert analysis.result(of_mechanism).sentences["large_delta"] == ""
    assert dpviz.analyze(delta=0.5).sentences["large_delta"] == ""


LETTER = 7.0  # pixels of a bold letter of 12 px, as measured in Chromium, on average


@pytest.fixture(scope="module")
def result() -> Result:
    return dpviz.analyze(read_sample("overfitted"), epsilon=1.0, delta=1e-5)


def boxes(labels: list[RulerLabel], width: float) -> list[tuple[int, float, float]]:
    """Row, left and right end of each label on an axis of this many pixels."""
    found = []
    for each in labels:
        x, long = each.share * width, 10 + LETTER * len(each.text)
        found.append((each.row, x - long, x) if each.to_the_left else (each.row, x, x + long))
    return found


@pytest.mark.parametrize("width", [340.0, 444.0, 700.0, 864.0])
def test_no_label_covers_another_or_leaves_the_picture(width: float) -> None:
    rng = np.random.default_rng(1)
    texts = [
        "claimed 1.25",
        "certified ≥ 2.76",
        "chance: up to 2.02",
        "Epsilon* ≈ 4.63",
        "ceiling 6",
    ]
    for _ in range(500):
        shares = rng.random(5) * rng.choice([1.0, 0.1])
        found = boxes(
            labels_in_rows([RulerLabel(t, float(s)) for t, s in zip(texts, shares, strict=True)]),
            width,
        )
        for i, (row, left, right) in enumerate(found):
            assert left >= -18
            assert right <= width + 18
            assert row <= 4
            assert all(row != r or right <= a or b <= left for r, a, b in found[:i])


@pytest.mark.parametrize("width", [386, 480, 700])
@pytest.mark.parametrize(
    ("claimed", "certified", "chance", "estimate", "ceiling"),
    [
        (1.0, 2.767, 2.012, 4.629, 6.391),  # as of the packaged samples
        (1.0, 3.457, 1.095, 4.22, 8.113),
        (1.0, 0.0, 1.381, 0.809, 7.184),
        (1.0, 0.317, 2.012, 1.86, 6.391),
        (6.2, 5.0, 1.0, 6.0, 6.391),
    ],
)
def test_labels_of_the_ruler_stand_beside_their_lines(
    width: int, claimed: float, certified: float, chance: float, estimate: float, ceiling: float
) -> None:
    """None is moved away from its line, to which a second line would then lead."""
    found = {"certified": certified, "chance": chance, "estimate": estimate, "ceiling": ceiling}
    answer = Answer(state="contradicted", delta=1e-5, claimed=claimed, **found)
    frame, layers = SvgFrame(RULER, width=width), RULER.layers()
    frame.add_layers(layers)
    for layer in layers:
        layer.draw(SimpleNamespace(answer=answer))
    assert len(frame.placed_labels()) == 5
    assert [each.label.text for each, at in frame.placed_labels() if at.leader] == []


@pytest.mark.parametrize("epsilon", [1.0, 4.8, 5.0])
def test_the_label_of_the_claim_covers_no_diamond(analysis: Analysis, epsilon: float) -> None:
    result = answered(analysis, epsilon=epsilon)
    frame = SvgFrame(RULER)
    frame.draw_layers(RULER.layers(), result)
    (place,) = [at for each, at in frame.placed_labels() if "claimed" in each.label.text]
    star = frame.plot.width * result.answer.estimate / frame.x.high
    assert place.box[0] > star + 6 or place.box[2] < star - 6


def test_the_bar_ends_at_the_bound_and_the_tick_stands_at_the_claim(result: Result) -> None:
    root = parse(result.svg("ruler"))
    bound = result.sample.audit.bound.low
    end = 1.08 * result.sample.audit.ceiling
    left, width = 18, 480 - 36
    bar = vertices(root, "ruler-ruler-0")
    assert bar[:, 0].max() == pytest.approx(left + width * bound / end, abs=0.01)
    # The labels of the bound, of Epsilon* and of the ceiling have rows of their own.
    rows = [vertices(root, f"ruler-ruler-{i}")[:, 1].min() for i in (4, 6, 8)]
    assert rows[0] < rows[1] < rows[2]
    claimed = vertices(root, "ruler-claimed_tick-0")
    assert claimed[:, 0] == pytest.approx([left + width / end] * 2, abs=0.01)
    text = result.svg("ruler")
    shown = float(re.search(r"certified ≥ ([\d.]+)<", text)[1])
    assert bound - 0.01 < shown <= bound
    most = float(re.search(r"ceiling ([\d.]+)<", text)[1])
    assert result.answer.ceiling <= most < result.answer.ceiling + 0.01
    assert "Epsilon* ≈ 4.63<" in text


def test_the_level_of_chance_has_the_mark_of_the_number_that_chance_reaches(result: Result) -> None:
    """An open diamond, as Epsilon* has: it is no level of the bound."""
    root = parse(result.svg("ruler"))
    stars = [each for each in root.iter() if each.get("d", "").endswith("z")]
    assert [each.get("fill") for each in stars] == ["none", "none"]
    assert stars[0].get("stroke") != stars[1].get("stroke")


def test_where_nothing_is_claimed_there_is_no_tick_of_a_claim() -> None:
    for scores, found in ((read_sample("overfitted"), "Epsilon* ≈ 4.63<"), (None, "ε at δ")):
        without = dpviz.analyze(scores, epsilon=math.inf)
        text = without.svg("ruler")
        assert "claimed " not in text
        assert ruler_sentence(without).startswith("ε at δ = 1e-5: nothing claimed")
        assert found in text
    # At its delta of 0 the claim gives no finite epsilon; it is a claim all the same.
    gaussian = dpviz.analyze(claim=theory.GaussianDP(mu=1.0), delta=0.0)
    assert "claimed ∞" in gaussian.svg("ruler")


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 40.0])
def test_any_claim_has_its_place(result: Result, epsilon: float) -> None:
    text = dpviz.analyze(epsilon=epsilon).svg("ruler")
    assert "claimed" in text
    answer = Answer(state="promise", delta=0.0, claimed=epsilon, estimate=2.0)
    assert 2.0 < largest_epsilon_on_ruler(answer) <= 8.7
    alone = Answer(state="promise", delta=0.0, claimed=epsilon)
    assert epsilon < largest_epsilon_on_ruler(alone) <= max(2 * epsilon, 1)


def test_the_explorer_draws_a_claim_but_tests_none_until_one_is_made() -> None:
    explorer = dpviz.explore(LOSSES)
    store = explorer.store
    store.prepare_audit(store.spec)
    store.refresh()
    assert explorer.result.answer.state == "no claim"
    assert explorer.result.answer.claimed is None
    assert explorer.result.drawn.claim.claimed_epsilon == explorer.epsilon == 1.0
    said = explorer.result.sentences["answer"]
    assert said == "No claim is tested yet. The pictures show the limits of ε = 1."
    explorer.epsilon = 2.0
    store.prepare_audit(store.spec)
    store.refresh()
    assert (explorer.result.answer.state, explorer.result.answer.claimed) == ("cannot decide", 2.0)
    store.undo()
    assert explorer.result.answer.state == "no claim"
    assert "No claim is tested" in report_as(".md", explorer).decode()
    assert dpviz.explore(LOSSES, epsilon=1.0).store.spec.tested
    assert not dpviz.explore(LOSSES, delta=1e-3).store.spec.tested
    made: dict[str, object] = {}
    for spec in (explorer.store.spec, Spec()):
        exec(python_code(spec, explorer.store.scores, source=repr(LOSSES)), made)
        assert made["explorer"].store.spec == spec

"""The sentence below each picture: one, short, there when the picture is, with a recount."""

import random
import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from dpviz import Analysis, Result, Spec, audit, read_sample, read_sample_fleet
from dpviz.analysis.claims.menu import ENTRIES, fields_of_menu_choice
from dpviz.analysis.topics.bounds import BoundsQuestion, lower_bounds
from dpviz.analysis.topics.experiment import ExperimentPart, advance
from dpviz.analysis.topics.landscape import landscape_part
from dpviz.analysis.topics.mechanism import mechanism_part
from dpviz.analysis.topics.registry import (
    SCENES,
    SENTENCES,
    detail_names,
    lead_name,
    text_names,
)
from dpviz.analysis.topics.timeline import TimelinePart
from dpviz.analysis.words import MOST_WORDS
from dpviz.audit.bounds.slices import slices
from dpviz.audit.experiment import Experiment
from dpviz.data.samples import SAMPLES
from dpviz.theory import GaussianDP
from tests.parity.live_vectors import DELTAS, PRIORS, RATES, of_any_size

SOURCES = [*SAMPLES, ""]


def words(text: str) -> list[str]:
    """What a reader counts: signs such as "=", "≥" and "%" are none."""
    return [word for word in text.split() if re.search(r"\w", word)]


def check(result: Result) -> None:
    for name, scene in SCENES.items():
        if not text_names(scene):
            continue
        leads = [each for each in text_names(scene) if SENTENCES[each].lead]
        assert leads == [lead_name(scene)], name
        assert {lead_name(scene), *detail_names(scene)} == {*text_names(scene)}, name
        text = result.sentences.get(lead_name(scene), "")
        assert text or scene.is_empty(result), name
        assert len(words(text)) <= MOST_WORDS, text


@cache
def analysis(source: str) -> Analysis:
    return Analysis(read_sample(source) if source else None)


@cache
def audited(source: str) -> Result:
    spec = Spec()
    analysis(source).prepare_audit(spec)
    return analysis(source).result(spec)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_each_picture_of_a_sample_has_one_short_sentence(source: str) -> None:
    check(analysis(source).result(Spec.of(delta=2e-5)))
    if source:
        check(audited(source))
        for method in ("normal", "mixture"):
            check(analysis(source).result(Spec.of(method=method, components=2)))


def random_specs() -> Iterator[Spec]:
    rng = random.Random(4)
    for i in range(30):
        spec = Spec.of(epsilon=of_any_size(rng, [0.0, 0.1, 1.0, 20.0]))
        spec = spec.changed(**fields_of_menu_choice([*ENTRIES][i % len(ENTRIES)], spec))
        yield spec.changed(
            delta=of_any_size(rng, DELTAS),
            prior=of_any_size(rng, PRIORS),
            fpr=of_any_size(rng, RATES),
            fnr=rng.choice([None, of_any_size(rng, RATES)]),
        )


@pytest.mark.parametrize("spec", [*random_specs()], ids=lambda spec: type(spec.claim).__name__)
def test_each_picture_of_a_claim_has_one_short_sentence(spec: Spec) -> None:
    for source in ("overfitted", ""):
        result = analysis(source).result(spec)
        part = mechanism_part(result.claim, fpr=result.fpr)
        check(result.with_answer("mechanism", part))


@pytest.mark.slow
def test_computed_pictures_have_one_short_sentence() -> None:
    scores = read_sample("regularised")
    result, claim = audited("regularised"), Spec().claim
    game = ExperimentPart.before_first_round(Experiment(claim, 0.5, 0.01))
    rng = np.random.default_rng(0)
    included = np.arange(80).reshape(40, 2) % 4 < 2
    canaries = audit.retraining_scores(rng.normal(0, 1, (40, 2)), included, kind="score")
    groups = audit.AttackScores(
        member=scores.member,
        nonmember=scores.nonmember,
        member_groups=["a", "b"] * 150,
        nonmember_groups=["a"] * scores.n_nonmembers,
    )
    many, training = read_sample_fleet("landscape"), read_sample_fleet("timeline")
    name = next(model.strategy for model in training.models)
    answers = {
        "bounds": [lower_bounds(scores, BoundsQuestion())],
        "experiment": [game, advance(game, rng, 1000)],
        "retraining": [audit.retraining_audit(canaries, claim=claim)],
        "slices": [slices(groups, delta=1e-5)],
        "landscape": [landscape_part(many.estimates(delta=1e-5))],
        "timeline": [
            TimelinePart(
                estimates=training.estimates(delta=1e-5),
                bounds=training.bounds(delta=1e-5),
                training=each,
            )
            for each in (name, "none of these")
        ],
    }
    for answer, parts in answers.items():
        for part in parts:
            check(result.with_answer(answer, part))


def test_the_point_of_an_attack_is_held_against_what_the_claim_requires() -> None:
    scores, result = read_sample("overfitted"), analysis("overfitted").result(Spec.of(fpr=0.75))
    flagged = np.sort(-scores.nonmember)[: int(0.75 * scores.n_nonmembers)]
    missed = np.mean(-scores.member > flagged[-1])
    found = [float(x) for x in re.findall(r"([\d.]+) %", result.sentences["region_lead"])]
    # The (1, 1e-5) claim above its kink: 1 - 1e-5 - fpr over e.
    fpr = len(flagged) / scores.n_nonmembers
    least = (1 - 1e-5 - fpr) / np.e
    assert found == pytest.approx([100 * fpr, 100 * missed, 100 * least], rel=0.005)
    assert found[2] <= 100 * least
    assert result.sentences["region_lead"].endswith("outside the region (chance not considered).")


def test_the_lead_of_low_fprs_is_about_a_low_one_whatever_is_selected() -> None:
    scores = read_sample("overfitted")
    likely = np.sort(scores.nonmember)[::-1]
    caught = np.sum(scores.member > likely[1])  # one of 1497 is 0.07 %, two are 0.13 %
    allowed = np.ceil(1e4 * 100 * (1e-5 + np.e * 0.001)) / 1e4
    for fpr in (None, 0.3):
        lead, of = (
            analysis("overfitted").result(Spec.of(fpr=fpr)).sentences["tail_lead"].split("; ")
        )
        rate, most = (float(x) for x in re.findall(r"([\d.]+) %", lead))
        assert rate == 0.1
        assert allowed <= most < allowed + 1e-3
        assert of == f"this attack catches {caught / 3:.3g} % ({caught} of 300)."


def test_an_attack_that_is_wrong_too_often_is_said_to_point_the_other_way() -> None:
    turned = Analysis(read_sample("overfitted").reversed())
    said = turned.result(Spec.of(fpr=0.3, claim=GaussianDP(mu=0.1))).sentences["region_lead"]
    assert "look reversed" in said

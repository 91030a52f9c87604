"""A recorded line: read back, and rejected in words where it is damaged. Nothing is executed."""

import random

import pytest

import dpviz
from dpviz import theory
from dpviz.analysis import Spec
from dpviz.analysis.state.recording import answer_as_line, read_answer_line

SPEC = Spec.of(epsilon=2.5, delta=1e-4, fpr=0.1, fnr=0.25, naming="statistics")


def test_what_is_recorded_is_read_back() -> None:
    claims = (theory.GaussianDP(mu=0.5), theory.ListExperiment(support=[0.5, 0.25]))
    for spec in (Spec(), SPEC, *(Spec.of(claim=claim, overlays=[claim]) for claim in claims)):
        read = read_answer_line(answer_as_line(spec, question="1.edge/ada lovelace"))
        assert (read.question, read.spec, read.scores) == ("1.edge/ada lovelace", spec, None)


def test_a_line_fits_between_quotes() -> None:
    line = answer_as_line(SPEC, dpviz.read_sample("null"), question="6.threshold/\"'\\\n{login}")
    assert not set(line) & set("\"'\\ \n`")
    assert read_answer_line(line).question == "6.threshold/\"'\\\n{login}"
    assert read_answer_line(line).scores == {"sample": "null"}
    assert read_answer_line(f"  {line[:40]}\n{line[40:]} ").spec == SPEC  # a line that was wrapped


def test_edited_lines_are_noticed() -> None:
    line = answer_as_line(SPEC, question="1.edge/ada")
    rng = random.Random(0)
    for _ in range(300):
        place = rng.randrange(len("dpviz-answer-1"), len(line))
        damaged = line[:place] + rng.choice("0a&=%{.") + line[place + rng.randrange(2) :]
        if damaged != line:
            with pytest.raises(ValueError, match=r"^(This line differs|This is no recorded)"):
                read_answer_line(damaged)
    with pytest.raises(ValueError, match="differs from the recorded line"):
        read_answer_line(line[:-12])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "no recorded answer"),
        ("__import__('os').system('true')", "no recorded answer"),
        (b"dpviz-answer-1?", "is text, not bytes"),
    ],
)
def test_what_is_no_line_is_said(answer: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_answer_line(answer)


def test_an_answer_of_another_version_is_rejected_in_a_sentence() -> None:
    for version in (0, 2, 999_999_999):
        message = (
            f"This answer is of version {version}, but this dpviz reads answers of version 1: "
            "record it again."
        )
        with pytest.raises(ValueError, match=f"^{message}$"):
            read_answer_line(answer_as_line(SPEC).replace("answer-1", f"answer-{version}"))

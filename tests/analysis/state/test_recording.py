"""A recorded line: read back, and rejected in words where it is damaged. Nothing is executed."""

import random

import pytest

import dpviz
from dpviz import theory
from dpviz.analysis import Spec
from dpviz.analysis.state.recording import read_recording, recorded

SPEC = Spec.of(epsilon=2.5, delta=1e-4, fpr=0.1, fnr=0.25, naming="statistics")


def test_what_is_recorded_is_read_back() -> None:
    claims = (theory.GaussianDP(mu=0.5), theory.ListExperiment(support=[0.5, 0.25]))
    for spec in (Spec(), SPEC, *(Spec.of(claim=claim, overlays=[claim]) for claim in claims)):
        read = read_recording(recorded(spec, question="1.edge/ada lovelace"))
        assert (read.question, read.spec, read.scores) == ("1.edge/ada lovelace", spec, None)


def test_a_line_fits_between_quotes() -> None:
    line = recorded(SPEC, dpviz.read_sample("null"), question="6.threshold/\"'\\\n{login}")
    assert not set(line) & set("\"'\\ \n`")
    assert read_recording(line).question == "6.threshold/\"'\\\n{login}"
    assert read_recording(line).scores == {"sample": "null"}
    assert read_recording(f"  {line[:40]}\n{line[40:]} ").spec == SPEC  # a line that was wrapped


def test_edited_lines_are_noticed() -> None:
    line = recorded(SPEC, question="1.edge/ada")
    rng = random.Random(0)
    for _ in range(300):
        place = rng.randrange(len("dpviz-answer-1"), len(line))
        damaged = line[:place] + rng.choice("0a&=%{.") + line[place + rng.randrange(2) :]
        if damaged != line:
            with pytest.raises(ValueError, match=r"^(This line is not|This is no recorded)"):
                read_recording(damaged)
    with pytest.raises(ValueError, match="not as it was recorded"):
        read_recording(line[:-12])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("", "no recorded answer"),
        ("__import__('os').system('true')", "no recorded answer"),
        (b"dpviz-answer-1?", "is text, not bytes"),
        (recorded(SPEC).replace("answer-2", "answer-3"), "another version"),
    ],
)
def test_what_is_no_line_is_said(answer: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_recording(answer)


def test_a_line_of_a_former_version_keeps_its_method() -> None:
    line = (  # written by dpviz when the default bound was simulated
        "dpviz-answer-1?question=%226.bound%22&claim={%22type%22:%22approximate%22,%22parameters%22"
        ":{%22epsilon%22:2.0,%22delta%22:1e-05},%22adjacency%22:%22replace_one%22}"
        "&scores={%22sample%22:%22overfitted%22}&sum=fa15ab36"
    )
    assert read_recording(line).spec == Spec.of(epsilon=2.0)
    with pytest.raises(ValueError, match="not as it was recorded"):
        read_recording(line.replace("answer-1", "answer-2"))
    now = recorded(Spec.of(epsilon=2.0))
    assert read_recording(now).spec.lower_bound_method == "rank_exact"

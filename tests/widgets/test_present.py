"""Which slides a presentation has, and its errors."""

import pytest

import dpviz
from dpviz.widgets import Explorer
from dpviz.widgets.present import SLIDES, slides_of

SHOWABLE = "the name of a picture with content for this result"


def test_without_scores_there_are_no_slides_about_an_attack() -> None:
    bare = slides_of(dpviz.analyze(epsilon=1.0))
    assert [slide.title for slide in bare] == [
        slide.title for slide in SLIDES.values() if not slide.needs_scores
    ]
    assert len(slides_of(dpviz.analyze(dpviz.read_sample("null")))) == len(SLIDES)


def test_each_slide_says_something_in_few_words() -> None:
    result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0)
    for slide in slides_of(result):
        assert slide.title_of(result)
        assert all(result.sentences[name] for name in slide.sentences)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["nowhere"], "name must be one of 'guessing', .*'region', .*, got 'nowhere'"),
        (["attack"], f"name must be {SHOWABLE}, got 'attack'"),
        (["scores"], f"name must be {SHOWABLE}, got 'scores'"),
        ([], r"names must be a nonempty list of names of pictures, got \[\]"),
        ("region", "names must be a nonempty list of names of pictures, got 'region'"),
    ],
)
def test_names_that_cannot_be_shown_are_refused(names: list[str], message: str) -> None:
    explorer = Explorer(epsilon=1.0)
    with pytest.raises(ValueError, match=message):
        explorer.present(names)
    assert explorer.presenter.presentation is None


def test_a_presentation_follows_and_changes_the_explorer() -> None:
    explorer = Explorer(epsilon=1.0, fpr=0.1)
    explorer.present(["allowed", "population"])
    presentation = explorer.presenter.presentation
    assert presentation is not None
    assert "at least 72.8 %" in presentation.texts["allowed"].value  # 1 - e 0.1 - 1e-5
    explorer.epsilon = 0.0
    assert "at least 89.9 %" in presentation.texts["allowed"].value
    presentation.forth.click()
    assert "<h1>Who are the people" in presentation.title.value
    presentation.change(prior=0.25)
    assert explorer.prior == 0.25
    explorer.present(["people"])  # another one replaces it
    assert presentation.comm is None
    explorer.presenter.close()
    assert explorer.presenter.presentation is None

"""The menu of data sets with the plain upload, and the menu of claims with its parameters."""

import asyncio
import datetime
from typing import Any

import numpy as np
import pytest
from traitlets import TraitError

from dpviz import AttackScores, explore, read_sample
from dpviz.analysis.claims.menu import ENTRIES, fields_with_parameters
from dpviz.data.samples import SAMPLES
from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    OneWaySubsampled,
    PiecewiseLinear,
    PureDP,
    Subsampled,
    SubsampledGaussian,
    UniformMechanism,
)
from dpviz.theory.mechanisms import subsampled_gaussian
from dpviz.widgets import Explorer, ProfileView, RegionView, TradeoffView
from dpviz.widgets.controls.fields import NumberControl
from dpviz.widgets.controls.menus import NO_SCORES, OWN_SCORES
from tests.slow import parametrize
from tests.widgets.base.test_job import apart


@pytest.fixture
def explorer(scores: AttackScores) -> Explorer:
    """With few views: the menus are the same, and it is made in a seventh of the time."""
    return explore(scores, layout=["region", "tradeoff"])


def upload(explorer: Explorer, name: str, content: bytes) -> None:
    """By the widget that stands there where the browser's half does not load."""
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    file = {"name": name, "type": "text/csv", "size": len(content), "last_modified": now}
    chosen = ({**file, "content": memoryview(content)},)
    apart(lambda: setattr(explorer.source.uploads.fallback, "value", chosen))
    assert explorer.source.uploads.fallback.value == ()


def test_every_sample_loads() -> None:
    explorer = explore()
    assert explorer.source.menu.value == NO_SCORES
    for sample in SAMPLES.values():
        explorer.source.menu.value = f"sample: {sample.title}"
        assert explorer.store.scores is not None
        assert explorer.error == ""
    explorer.source.menu.value = NO_SCORES
    assert explorer.result.sample is None


def test_scores_from_python_stay_in_the_menu(explorer: Explorer, scores: AttackScores) -> None:
    assert explorer.source.menu.value == OWN_SCORES
    explorer.source.menu.value = NO_SCORES
    explorer.source.menu.value = OWN_SCORES
    assert explorer.store.scores is scores


def test_upload_and_back(explorer: Explorer, scores: AttackScores) -> None:
    upload(explorer, "a.csv", b"loss,member\n0.5,1\n0.7,0\n0.9,0\n")
    assert explorer.source.menu.value == "uploaded: a.csv"
    assert explorer.store.scores is not None
    assert explorer.store.scores.n_nonmembers == 2
    explorer.source.menu.value = OWN_SCORES
    assert explorer.store.scores is scores


def test_refused_upload(explorer: Explorer, scores: AttackScores) -> None:
    result = explorer.result
    for content, said in [
        (b"", "x.csv"),
        (b"loss,member\n0.5,1\n", "x.csv"),
        (b"loss,member\n0.5,1\nn/a,0\n", 'row 3, column "loss": expected a number, got "n/a"'),
        (b"\x00\xff\xfe", "x.csv"),
    ]:
        upload(explorer, "x.csv", content)
        assert said in explorer.error
        assert explorer.result is result
    assert explorer.store.scores is scores
    upload(explorer, "x.csv", b"loss,member\n0.5,1\n0.7,0\n")
    assert explorer.error == ""


def test_the_menu_snaps_back_when_a_load_is_refused(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(key: str) -> AttackScores:
        raise FileNotFoundError(f"{key}.csv is gone")

    monkeypatch.setattr("dpviz.widgets.controls.menus.read_sample", gone)
    explorer.source.menu.value = f"sample: {SAMPLES['gamma'].title}"
    assert explorer.error == "gamma.csv is gone"
    assert explorer.source.menu.value == OWN_SCORES


def test_data_sets_of_one_name_stay_apart(explorer: Explorer, scores: AttackScores) -> None:
    other = AttackScores.from_losses(member=[0.1], nonmember=[0.2])
    explorer.store.load(other)
    upload(explorer, "a.csv", b"loss,member\n0.5,1\n0.7,0\n")
    upload(explorer, "a.csv", b"loss,member\n0.5,1\n0.7,0\n0.8,0\n")
    names = explorer.source.menu.options[-4:]
    assert names == (OWN_SCORES, f"{OWN_SCORES} (2)", "uploaded: a.csv", "uploaded: a.csv (2)")
    explorer.source.menu.value = OWN_SCORES
    assert explorer.store.scores is scores
    explorer.source.menu.value = f"{OWN_SCORES} (2)"
    assert explorer.store.scores is other


def test_a_sample_given_by_python_has_its_name() -> None:
    for key in ("null", "overfitted"):
        explorer = Explorer(scores=read_sample(key))
        assert explorer.source.menu.value == f"sample: {SAMPLES[key].title}"


def pick(explorer: Explorer, key: str) -> None:
    title = ENTRIES[key].title
    index = explorer.claim_menu.kind.options.index(title)
    explorer.claim_menu.kind.set_state({"index": index})  # what a message from the page does


def enter(explorer: Explorer, name: str, text: str) -> None:
    explorer.claim_menu.parameters[name].box.set_state({"value": text})


QUICK = ("approximate", "gaussian_dp", "composed", "stated")


@pytest.mark.slow
@parametrize("key", ENTRIES, slow_but=QUICK)
def test_every_entry_can_be_picked_and_shows_its_parameters(
    same_explorer: Explorer, key: str
) -> None:
    pick(same_explorer, "uniform")
    pick(same_explorer, key)
    assert same_explorer.error == ""
    assert same_explorer.claim_menu.kind.value == ENTRIES[key].title
    assert list(same_explorer.claim_menu.parameters) == list(ENTRIES[key].parameters)
    for control in same_explorer.claim_menu.parameters.values():
        assert control.box.value
    assert same_explorer.result.sentences["implies"] in same_explorer.claim_menu.implies.value


def test_an_example_becomes_what_it_is(explorer: Explorer) -> None:
    """Releasing one of n records at random is (0, 1/n)-DP, and no better."""
    kind = explorer.claim_menu.kind
    (title,) = (each for each in kind.options if each == "example: release one record of 100")
    kind.set_state({"index": kind.options.index(title)})
    assert explorer.claim == DiscretePair([0.99, 0.01, 0], [0.99, 0, 0.01])
    assert explorer.claim.delta(0.0) == pytest.approx(1 / 100)
    assert explorer.claim.delta(5.0) == pytest.approx(1 / 100)
    assert kind.value == ENTRIES["discrete_pair"].title
    explorer.undo()
    assert explorer.claim == ApproximateDP(epsilon=1.0, delta=1e-5)


def test_the_delta_of_the_paper_is_offered_with_scores() -> None:
    explorer = explore()
    assert explorer.paper_delta.disabled
    explorer.store.load(AttackScores(member=np.arange(48.0), nonmember=np.arange(50.0)))
    explorer.paper_delta.click()
    assert explorer.delta == pytest.approx(1 / (48 * np.log(48)))


def test_parameters_are_edited_by_slider_and_box(explorer: Explorer) -> None:
    pick(explorer, "discrete_laplace")
    assert explorer.claim == DiscreteLaplaceMechanism(scale=1.0, sensitivity=1)
    enter(explorer, "scale", "2.5")
    enter(explorer, "sensitivity", "3")
    assert explorer.claim == DiscreteLaplaceMechanism(scale=2.5, sensitivity=3)
    scale = explorer.claim_menu.parameters["scale"]
    assert isinstance(scale, NumberControl)
    scale.slider.set_state({"value": 40})  # the middle of 0.01 to 100
    assert explorer.claim == DiscreteLaplaceMechanism(scale=1.0, sensitivity=3)
    assert scale.box.value == "1"


@pytest.mark.parametrize(
    ("key", "name", "text", "claim"),
    [
        (
            "discrete_pair",
            "outputs",
            "0.5 0.25, 0.25 0.25, 0.25 0.5",
            DiscretePair([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]),
        ),
        (
            "piecewise_linear",
            "knots",
            "0 0.8, 0.5 0.1, 1 0",
            PiecewiseLinear([[0, 0.8], [0.5, 0.1], [1, 0]]),
        ),
        ("composed", "mechanisms", "3", Composed([ApproximateDP(epsilon=1, delta=1e-5)] * 3)),
        (
            "subsampled",
            "sampling_rate",
            "0.5",
            Subsampled(base=ApproximateDP(epsilon=1, delta=1e-5), sampling_rate=0.5),
        ),
    ],
)
def test_what_is_typed_becomes_the_claim(
    same_explorer: Explorer, key: str, name: str, text: str, claim: Any
) -> None:
    pick(same_explorer, key)
    enter(same_explorer, name, text)
    assert same_explorer.error == ""
    assert same_explorer.claim == claim
    assert same_explorer.claim_menu.parameters[name].box.value == text


REFUSED = [
    ("gaussian_dp", "mu", "-1", "μ must be 0 or more (you typed -1)."),
    ("gaussian", "noise_multiplier", "0", "Noise σ must be more than 0 (you typed 0)."),
    ("discrete_laplace", "sensitivity", "1.5", "Sensitivity must be a whole number from 0"),
    ("randomized_response", "categories", "<b>", "Answers must be a number (you typed <b>)."),
    ("list_experiment", "support", "0.5, 2", "Support must be from 0 to 1 (you typed 2)."),
    ("list_experiment", "support", "", "Support must be numbers (you typed nothing)."),
    ("discrete_pair", "outputs", "0.5, 0.5", "Outputs must be pairs with commas between"),
    ("discrete_pair", "outputs", "0.5 0.4, 0.5 0.4", "Q must be probabilities that sum to 1"),
    ("piecewise_linear", "knots", "0 1, 0.4 0.6, 0.5 0, 0.6 0, 1 0", "knots must be convex"),
    ("subsampled", "sampling_rate", "2", "Rate must be more than 0 and at most 1 (you typed 2)."),
    ("composed", "mechanisms", "0", "Times must be a whole number from 1 to 10000"),
    (
        "public_mixture",
        "weights",
        "0.5",
        "Weights must be probabilities that sum to 1 (you typed 0.5).",
    ),
]


@parametrize(("key", "name", "text", "message"), REFUSED, slow_but=[REFUSED[0], *REFUSED[3:6]])
def test_a_refused_parameter_leaves_everything(
    same_explorer: Explorer, key: str, name: str, text: str, message: str
) -> None:
    pick(same_explorer, key)
    result, shown = same_explorer.result, same_explorer.claim_menu.parameters[name].box.value
    enter(same_explorer, name, text)
    assert same_explorer.error.startswith(message)
    assert "<b>" not in same_explorer.error_line.value
    assert same_explorer.result is result
    assert same_explorer.claim_menu.parameters[name].box.value == shown


@pytest.mark.parametrize(("key", "name"), [("group", "size"), ("composed", "mechanisms")])
def test_a_box_of_an_earlier_claim_changes_nothing(explorer: Explorer, key: str, name: str) -> None:
    pick(explorer, key)
    gone = explorer.claim_menu.parameters[name].box
    explorer.store.update(claim=PureDP(epsilon=1.0))
    gone.set_state({"value": "7"})
    assert explorer.claim == PureDP(epsilon=1.0)
    with pytest.raises(
        ValueError, match=f"parameter of the claim must be one of 'epsilon'.* got '{name}'"
    ):
        fields_with_parameters(explorer.store.spec, **{name: 7.0})


def test_what_is_slow_is_worked_out_beside_the_picture(explorer: Explorer) -> None:
    menu, before = explorer.claim_menu, explorer.result

    async def flow() -> None:
        pick(explorer, "subsampled_gaussian")
        assert menu.job.is_running
        assert "computing" in menu.implies.value
        assert explorer.result is before
        while menu.job.is_running:
            await asyncio.sleep(0.02)

    asyncio.run(flow())
    assert explorer.claim == SubsampledGaussian(
        noise_multiplier=1.0, sampling_rate=0.01, steps=1000, adjacency="replace_one"
    )
    assert explorer.result.sentences["implies"] in menu.implies.value


def test_a_missing_library_says_which_extra_and_the_picture_stays(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(*args: Any, **kwargs: Any) -> Any:
        raise ImportError("needs a library: pip install 'dpviz[extra]'")

    monkeypatch.setattr(subsampled_gaussian, "compose", without)
    result = explorer.result
    pick(explorer, "subsampled_gaussian")
    assert "pip install 'dpviz[extra]'" in explorer.error
    assert explorer.result is result
    assert explorer.claim_menu.kind.value == ENTRIES["approximate"].title


def test_adjacency_is_a_menu_and_its_conversion_is_said(explorer: Explorer) -> None:
    menu = explorer.claim_menu
    menu.adjacency.widget.set_state({"index": 1})
    assert explorer.claim == ApproximateDP(epsilon=1.0, delta=1e-5, adjacency="add_remove")
    assert (
        "(ε, δ) = (1, 1e-5). Every picture shows the claim converted to replace-one"
    ) in menu.implies.value
    assert "(ε, δ) = (2, 3.72e-5)" in menu.implies.value
    (neighbours,) = (each for each in explorer.menus if each.name == "neighbours")
    neighbours.widget.set_state({"index": 1})
    assert explorer.neighbours == "add_remove"
    assert "onverted" not in menu.implies.value
    neighbours.widget.set_state({"index": 0})
    pick(explorer, "laplace")
    assert explorer.claim == LaplaceMechanism(epsilon=1.0, adjacency="add_remove")
    menu.adjacency.widget.set_state({"index": 0})
    assert explorer.claim == LaplaceMechanism(epsilon=1.0)


def test_a_claim_only_python_can_make_is_shown_and_left(explorer: Explorer) -> None:
    explorer.claim = OneWaySubsampled(base=GaussianDP(mu=1.0), sampling_rate=0.5).inverse()
    assert explorer.claim_menu.kind.value == "from Python: Inverse"
    assert explorer.claim_menu.parameters == {}
    pick(explorer, "pure")
    assert isinstance(explorer.claim, PureDP)
    assert "from Python: Inverse" not in explorer.claim_menu.kind.options


def test_a_newer_claim_stops_what_was_asked_of_the_one_before(explorer: Explorer) -> None:
    menu, newer = explorer.claim_menu, PureDP(epsilon=3.0)

    async def flow() -> None:
        pick(explorer, "subsampled_gaussian")
        explorer.fpr = 0.2
        assert menu.job.is_running
        explorer.claim = newer
        assert not menu.job.is_running
        await asyncio.sleep(1)

    asyncio.run(flow())
    assert explorer.claim == newer
    assert menu.kind.value == ENTRIES["pure"].title
    assert explorer.result.sentences["implies"] in menu.implies.value


def test_asking_slowly_for_what_holds_ends_with_what_holds(explorer: Explorer) -> None:
    menu = explorer.claim_menu
    pick(explorer, "subsampled")

    async def flow() -> None:
        enter(explorer, "sampling_rate", "0.10")
        while menu.job.is_running:
            await asyncio.sleep(0.02)

    asyncio.run(flow())
    assert menu.parameters["sampling_rate"].box.value == "0.1"
    assert explorer.result.sentences["implies"] in menu.implies.value


def test_overlays_are_kept_and_cleared(explorer: Explorer) -> None:
    menu = explorer.claim_menu
    assert menu.clear.disabled
    menu.pin.click()
    assert explorer.overlays == (ApproximateDP(epsilon=1.0, delta=1e-5),)
    assert menu.pin.disabled
    pick(explorer, "laplace")
    assert not menu.pin.disabled
    for epsilon in (1, 2, 3, 4, 5):
        explorer.epsilon = epsilon
        menu.pin.click()
    explorer.epsilon = 6
    assert len(explorer.overlays) == 6
    assert menu.pin.disabled
    menu.clear.click()
    assert explorer.overlays == ()


def test_overlays_are_a_trait_and_a_field() -> None:
    view = RegionView(overlays=[PureDP(epsilon=1)])
    assert view.overlays == (PureDP(epsilon=1),)
    for value, message in [
        ("x", "claim must be EPSILON,DELTA or NAME:"),
        (3, "overlays must be a sequence of trade-off functions, got 3"),
        ([PureDP(epsilon=e) for e in range(7)], "overlays must be at most 6"),
    ]:
        with pytest.raises(TraitError, match=message):
            view.overlays = value
    assert view.overlays == (PureDP(epsilon=1),)


def drawn(view: Any, name: str) -> dict[str, Any]:
    """The marks of bqplot that a layer moves, by name."""
    layer = next(layer for layer in view.pictures[0].layers if type(layer).__name__ == name)
    return {role: mark.mark for role, mark in layer.marks_by_name().items()}


@pytest.mark.parametrize("view_class", [RegionView, TradeoffView, ProfileView])
def test_overlays_are_drawn_with_names_and_taken_away(view_class: Any) -> None:
    view = view_class(overlays=[GaussianDP(mu=0.5, adjacency="add_remove"), PureDP(epsilon=2)])
    marks = drawn(view, "Overlays")
    lines = [marks[f"line {i}"] for i in range(6)]
    assert [line.visible for line in lines] == [True, True] + [False] * 4
    assert [marks[f"name {i}"].names[0] for i in range(2)] == [
        "GDP μ=0.5 (add/remove)",
        "pure DP ε=2",
    ]
    if view_class is TradeoffView:
        line = lines[0]  # converted: 2 mu
        np.testing.assert_allclose(line.y, GaussianDP(mu=1.0).beta(line.x), atol=1e-12)
        x, y = marks["name 0"].x[0], marks["name 0"].y[0]
        assert y == pytest.approx(GaussianDP(mu=1.0).beta(x), abs=1e-3)
    for line in lines:
        assert len(line.x) <= 512
    view.overlays = ()
    assert not any(line.visible for line in lines)


def test_no_two_overlays_look_alike_without_colour() -> None:
    from dpviz.drawing import theme

    assert len({(dash, width) for _, dash, width in theme.OVERLAYS}) == len(theme.OVERLAYS) == 6
    assert len({color for color, _, _ in theme.OVERLAYS} | {theme.CLAIM, theme.ATTACK}) == 8


def test_the_band_of_delta_is_drawn_for_a_claim_that_has_one() -> None:
    view = RegionView(epsilon=1.0, delta=0.1)
    area = drawn(view, "DeltaBand")["area"]
    sums = np.round(area.x + area.y, 12)
    assert sorted(set(sums)) == [0.9, 1.0, 1.1]
    view.claim = GaussianDP(mu=1.0)
    assert not area.visible


def test_the_supporting_line_touches_and_its_end_chooses_delta() -> None:
    view = TradeoffView(claim=LaplaceMechanism(epsilon=1.0), delta=0.1)
    marks = drawn(view, "SupportingLine")
    claim = LaplaceMechanism(epsilon=1.0)
    slope = np.exp(claim.epsilon(0.1))
    assert marks["line"].y[0] == pytest.approx(0.9)
    assert marks["line"].x[1] == pytest.approx(0.9 / slope)
    x = np.linspace(0, 0.9 / slope, 1001)
    gap = claim.beta(x) - (0.9 - slope * x)
    assert gap.min() == pytest.approx(0, abs=1e-6)
    marks["handle"].y = np.array([0.8])
    assert view.delta == 0.2
    view.claim = ApproximateDP(epsilon=1.0, delta=0.1)
    assert not marks["handle"].visible
    slope_line = drawn(view, "ClaimSlope")["line"]  # the claim's own, drawn by the browser
    assert not slope_line.visible  # among "more marks"
    view.pictures[0].shows_extra_marks = True
    assert slope_line.visible
    assert slope_line.x.tolist() == pytest.approx([0.0, 0.9 / np.e])
    view.claim = UniformMechanism(width=2.0)  # no epsilon is enough: upright
    view.delta = 0.01
    assert marks["line"].x.tolist() == [0.0, 0.0]
    assert not slope_line.visible


def test_the_profile_goes_through_the_point() -> None:
    view = ProfileView(claim=GaussianDP(mu=1.0), delta=1e-4)
    line = drawn(view, "ClaimProfile")["line"]
    x, y = line.x, line.y
    np.testing.assert_allclose(GaussianDP(mu=1.0).delta(x), y, rtol=1e-6)
    point = drawn(view, "EpsilonAtDelta")["point"]
    assert (point.x[0], point.y[0]) == (GaussianDP(mu=1.0).epsilon(1e-4), 1e-4)
    assert view.pictures[0].frame.x.high > x.max()


def test_a_change_of_what_claims_do_not_depend_on_works_out_no_claim(
    scores: AttackScores, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = explore(scores, claim=GaussianDP(mu=1.0), overlays=[PureDP(epsilon=1)])
    sizes: list[int] = []
    original = GaussianDP.epsilon

    def counted(self: GaussianDP, delta: Any) -> Any:
        sizes.append(np.size(delta))
        return original(self, delta)

    monkeypatch.setattr(GaussianDP, "epsilon", counted)
    before = explorer.result
    explorer.delta = 1e-6
    assert sizes
    assert set(sizes) == {1}  # at the new delta, not over the profile
    assert explorer.result.drawn is before.drawn
    assert explorer.result.overlays is before.overlays
    assert explorer.result.comparison is before.comparison


def test_a_level_profile_never_turns_back() -> None:
    view = ProfileView(epsilon=1e5, delta=1e-3)
    assert (np.diff(drawn(view, "ClaimProfile")["line"].x) >= 0).all()

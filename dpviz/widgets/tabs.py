"""The tabs of the explorer: questions, and the views that answer them."""

from dataclasses import dataclass

from dpviz import checks


@dataclass(frozen=True, kw_only=True)
class Tab:
    """One tab: its title, and the names of its views in `dpviz.widgets.views.registry`.

    `more` are views that are built when the reader requests more pictures. A view that is not
    registered, or that has nothing to show, is left out.

    Examples
    --------
    >>> from dpviz.widgets.tabs import TABS
    >>> TABS["reached"].title, TABS["reached"].views
    ('What the attack reached', ('scores', 'tradeoff', 'epsilon_star'))
    """

    title: str
    views: tuple[str, ...]
    more: tuple[str, ...] = ()
    needs_scores: bool = False
    has_menu: bool = False  # of all other views, any of which can be added


# In the order of the tab bar. The first one that can be shown is the first to be seen.
TABS: dict[str, Tab] = {
    "answer": Tab(
        title="The answer",
        views=("region", "scores", "people"),
        needs_scores=True,
    ),
    "promised": Tab(
        title="What is promised",
        views=("region", "profile", "risk"),
        more=("tradeoff", "ways_of_stating", "for_risk", "deployments", "designs"),
    ),
    "reached": Tab(
        title="What the attack reached",
        views=("scores", "tradeoff", "epsilon_star"),
        more=("slices", "retraining", "evidence"),
        needs_scores=True,
    ),
    "follows": Tab(
        title="What follows",
        views=("evidence", "risk", "bounds", "checklist"),
        more=("plan", "designs", "slices", "retraining"),
        needs_scores=True,
    ),
    "how": Tab(
        title="How it works",
        views=("mechanism",),
        more=(
            *("guess", "costs", "processing"),
            *("ratio", "zoom_levels", "noise", "experiment", "fit", "quantiles"),
        ),
    ),
    "side_by_side": Tab(
        title="Side by side",
        views=("region", "tradeoff", "epsilon_star", "risk"),
        has_menu=True,
    ),
}


def tabs_for(*, has_scores: bool) -> dict[str, Tab]:
    """Return the tabs that can be shown with or without scores."""
    return {name: tab for name, tab in TABS.items() if has_scores or not tab.needs_scores}


def checked_tab(name: object, *, has_scores: bool) -> str:
    """Return the name of a tab; ValueError if there is none, or if it needs scores."""
    chosen = checks.choice("tab", name, list(TABS))
    if chosen not in tabs_for(has_scores=has_scores):
        raise checks.fail("tab", "one that needs no scores while none are loaded", name)
    return chosen

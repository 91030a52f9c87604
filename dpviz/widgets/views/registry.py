"""The registry of views by name; layouts and tabs refer to views by these names."""

from dpviz.analysis.topics.answer import RULER
from dpviz.analysis.topics.registry import SCENES
from dpviz.widgets.base.view import View
from dpviz.widgets.views import evidence, scene_views
from dpviz.widgets.views.as_trained import AsTrainedView
from dpviz.widgets.views.checklist import ChecklistView
from dpviz.widgets.views.deployments import DeploymentsView
from dpviz.widgets.views.experiment import ExperimentView
from dpviz.widgets.views.figure_view import FigureView
from dpviz.widgets.views.for_risk import ForRiskView
from dpviz.widgets.views.guess import CostsView, GuessView
from dpviz.widgets.views.how_it_works import NoiseView, ProcessingView, RatioView, ZoomLevelsView
from dpviz.widgets.views.mechanism import MechanismView
from dpviz.widgets.views.people import PeopleView
from dpviz.widgets.views.scene_views import TradeoffView, WaysOfStatingView

# In the order of an explorer that shows all views; a view of one scene has its name in `SCENES`.
VIEWS: dict[str, type[View]] = {
    "region": scene_views.RegionView,
    "tradeoff": TradeoffView,
    "profile": scene_views.ProfileView,
    "ways_of_stating": WaysOfStatingView,
    "deployments": DeploymentsView,
    "for_risk": ForRiskView,
    "as_trained": AsTrainedView,
    "scores": scene_views.ScoresView,
    "people": PeopleView,
    "epsilon_star": scene_views.EpsilonStarView,
    "fit": scene_views.FitView,
    "quantiles": scene_views.QuantileView,
    "risk": scene_views.RiskView,
    "guess": GuessView,
    "costs": CostsView,
    "processing": ProcessingView,
    "evidence": evidence.AuditView,
    "bounds": evidence.BoundsView,
    "checklist": ChecklistView,
    "plan": evidence.PlanView,
    "showable": evidence.ShowableView,
    "designs": evidence.DesignsView,
    "slices": evidence.SlicesView,
    "retraining": evidence.RetrainingView,
    "mechanism": MechanismView,
    "ratio": RatioView,
    "zoom_levels": ZoomLevelsView,
    "noise": NoiseView,
    "experiment": ExperimentView,
}


def view_classes_by_name() -> dict[str, type[View]]:
    """Return `VIEWS`, and a new view class for each scene in `SCENES` that no view shows."""
    single = [view for view in VIEWS.values() if issubclass(view, FigureView)]
    shown = [RULER]  # that of the answer, above all views
    shown += [scene for view in single for scene in (view.scene, *view.further_scenes)]
    more: dict[str, type[View]] = {}
    for name, scene in SCENES.items():
        if scene.needs in ("", "scores") and not any(scene is each for each in shown):
            called = "".join(word.capitalize() for word in name.split("_")) + "View"
            more[name] = type(called, (FigureView,), {"scene": scene})
    return VIEWS | more

"""The Jupyter widgets: the store, the views and the explorer."""

from dpviz.widgets.explorer import Explorer
from dpviz.widgets.live_page import LivePage
from dpviz.widgets.state.store import SpecError, Store
from dpviz.widgets.views.answer import AnswerView
from dpviz.widgets.views.as_trained import AsTrainedView
from dpviz.widgets.views.checklist import ChecklistView
from dpviz.widgets.views.deployments import DeploymentsView
from dpviz.widgets.views.evidence import (
    AuditView,
    BoundsView,
    DesignsView,
    PlanView,
    RetrainingView,
    ShowableView,
    SlicesView,
)
from dpviz.widgets.views.experiment import ExperimentView
from dpviz.widgets.views.fixed_results import CertificateView, FamilyView, WealthView
from dpviz.widgets.views.for_risk import ForRiskView
from dpviz.widgets.views.guess import CostsView, GuessView
from dpviz.widgets.views.how_it_works import NoiseView, ProcessingView, RatioView, ZoomLevelsView
from dpviz.widgets.views.mechanism import MechanismView
from dpviz.widgets.views.models import BothSidesView, LandscapeView, TimelineView
from dpviz.widgets.views.people import PeopleView
from dpviz.widgets.views.scene_views import (
    EpsilonStarView,
    FitView,
    ProfileView,
    QuantileView,
    RegionView,
    RiskView,
    ScoresView,
    TradeoffView,
    WaysOfStatingView,
)
from dpviz.widgets.views.simulation import SimulationView

__all__ = ["AnswerView", "AsTrainedView", "AuditView", "BothSidesView", "BoundsView"]
__all__ += ["CertificateView", "ChecklistView", "CostsView", "DeploymentsView", "DesignsView"]
__all__ += ["EpsilonStarView", "ExperimentView", "Explorer", "FamilyView", "FitView"]
__all__ += ["ForRiskView", "GuessView", "LandscapeView", "LivePage", "MechanismView"]
__all__ += ["NoiseView", "PeopleView", "PlanView"]
__all__ += ["ProcessingView", "ProfileView", "QuantileView", "RatioView", "RegionView"]
__all__ += ["RetrainingView", "RiskView", "ScoresView", "ShowableView", "SimulationView"]
__all__ += ["SlicesView", "SpecError", "Store", "TimelineView", "TradeoffView", "WaysOfStatingView"]
__all__ += ["WealthView", "ZoomLevelsView"]

"""The registry of pictures."""

from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.answer import RULER
from dpviz.pictures.scenes.errors import REGION, ROC, TAIL, TRADEOFF
from dpviz.pictures.scenes.evidence import BOUNDS, DESIGNS, EVIDENCE, PLAN, RETRAINING, SLICES
from dpviz.pictures.scenes.guarantee import DEPLOYMENTS, FOR_RISK, PROFILE, WAYS_OF_STATING
from dpviz.pictures.scenes.mechanism import (
    DECISION,
    EXPERIMENT,
    EXPERIMENT_RATES,
    NOISE,
    OUTPUTS,
    PRIVACY_LOSS,
    RATIO,
    ZOOM_LEVELS,
)
from dpviz.pictures.scenes.models import BOTH_SIDES, LANDSCAPE, TIMELINE, UTILITY
from dpviz.pictures.scenes.people import PEOPLE, POPULATION, REDRAWS
from dpviz.pictures.scenes.risk import CANDIDATE_OUTPUT, COSTS, GUESS, POSTERIOR, PROCESSING, RISK
from dpviz.pictures.scenes.scores import EPSILON_STAR, FIT, QUANTILES, SCORES

# In the order of the explorer: it, SVG, saved pages and the command line take theirs from here. One
# more line is one more picture in all of them.
SCENES: dict[str, Scene] = {
    "ruler": RULER,
    "region": REGION,
    "tradeoff": TRADEOFF,
    "roc": ROC,
    "tail": TAIL,
    "profile": PROFILE,
    "ways_of_stating": WAYS_OF_STATING,
    "deployments": DEPLOYMENTS,
    "for_risk": FOR_RISK,
    "people": PEOPLE,
    "population": POPULATION,
    "redraws": REDRAWS,
    "scores": SCORES,
    "epsilon_star": EPSILON_STAR,
    "fit": FIT,
    "quantiles": QUANTILES,
    "risk": RISK,
    "guess": GUESS,
    "candidate_output": CANDIDATE_OUTPUT,
    "posterior": POSTERIOR,
    "costs": COSTS,
    "processing": PROCESSING,
    "evidence": EVIDENCE,
    "bounds": BOUNDS,
    "plan": PLAN,
    "designs": DESIGNS,
    "slices": SLICES,
    "retraining": RETRAINING,
    "outputs": OUTPUTS,
    "ratio": RATIO,
    "zoom_levels": ZOOM_LEVELS,
    "noise": NOISE,
    "decision": DECISION,
    "privacy_loss": PRIVACY_LOSS,
    "experiment": EXPERIMENT,
    "experiment_rates": EXPERIMENT_RATES,
    "landscape": LANDSCAPE,
    "both_sides": BOTH_SIDES,
    "timeline": TIMELINE,
    "utility": UTILITY,
}

"""Differential privacy as a hypothesis test: linked pictures of privacy claims and attacks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpviz import audit, theory
    from dpviz.analysis import Analysis, Facts, Result, Spec, read_facts
    from dpviz.audit import AttackScores, BinnedScores, canaries, losses_from_logits
    from dpviz.audit.scores.base import Sampling
    from dpviz.audit.scores.losses import losses_from_probabilities, sequence_losses
    from dpviz.checks import ConditionError
    from dpviz.claims import Claim, read_claim, read_sample_registry
    from dpviz.data import ReadError, read_sample, read_sample_fleet, read_scores
    from dpviz.data.check_inputs import check_inputs
    from dpviz.data.estimator import scores_from_estimator
    from dpviz.data.read_fleet import read_fleet
    from dpviz.pictures import TradeoffDisplay, embed
    from dpviz.reports import compare_reports, report
    from dpviz.theory.tradeoff import Adjacency
    from dpviz.widgets import Explorer
    from dpviz.widgets.tabs import PageLayout

__version__ = "0.1.0"

__all__ = ["Analysis", "AttackScores", "BinnedScores", "Claim", "ConditionError", "Facts"]
__all__ += ["ReadError", "Result", "Spec", "TradeoffDisplay", "analyze", "audit", "canaries"]
__all__ += ["check_inputs", "compare_reports", "embed", "explore", "losses_from_logits"]
__all__ += ["losses_from_probabilities", "read_claim", "read_facts", "read_fleet", "read_sample"]
__all__ += ["read_sample_fleet", "read_sample_registry", "read_scores", "report"]
__all__ += ["scores_from_estimator", "sequence_losses", "theory"]

# A package is imported when one of its names is used: theory alone needs no file format.
PUBLIC_NAMES_BY_PACKAGE = {
    "analysis": ("Analysis", "Facts", "Result", "Spec", "read_facts"),
    "audit": (
        *("AttackScores", "BinnedScores", "canaries", "losses_from_logits"),
        *("losses_from_probabilities", "sequence_losses"),
    ),
    "claims": ("Claim", "read_claim", "read_sample_registry"),
    "data": (
        *("ReadError", "check_inputs", "read_fleet", "read_sample", "read_sample_fleet"),
        *("read_scores", "scores_from_estimator"),
    ),
    "pictures": ("TradeoffDisplay", "embed"),
    "reports": ("compare_reports", "report"),
    "checks": ("ConditionError",),
}
ROOMS = {*PUBLIC_NAMES_BY_PACKAGE, "teach", "testing", "theory", "widgets"} - {"checks"}


def explore(
    scores: Any = None,
    nonmember: Any = None,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    claim: Any = None,
    prior: float = 0.5,
    fpr: float | None = None,
    confidence_level: float = 0.95,
    sampling: "Sampling | None" = None,
    neighbours: "Adjacency | None" = None,
    layout: "PageLayout" = "tabs",
    **spec: Any,
) -> "Explorer":
    """Return the explorer: linked views of a privacy claim and of an attack's scores.

    Parameters
    ----------
    scores, nonmember : optional
        :class:`AttackScores`, or anything :func:`read_scores` takes; or the losses of members and
        those of non-members. Left out: the claim alone.
    epsilon, delta : float, optional
        The claim, in [0, inf] and [0, 1]; 1.0 and 1e-5 by default, or what `claim` says. `delta` is
        also the delta of Epsilon*. Where neither `claim` nor `epsilon` is given, this claim is
        drawn, but not tested until it is changed.
    claim : TradeoffFunction, optional
        Another guarantee, or anything :func:`read_claim` takes; `epsilon` and `delta`, when given,
        edit its parameters of that name.
    prior : float, probability in (0, 1) that a record is a member
    fpr : float, optional
        Selected false positive rate in [0, 1]; left out: with scores, that of the strongest
        evidence against the claim, else 0.01. `Explorer.result.fpr` is the selected number.
    confidence_level : float, in [0.5, 1), of every interval, band and lower bound
    sampling : {"independent_trainings", "fair_coins", "fixed_split"}, optional
        How membership was drawn, if the audit is about the mechanism: see
        :func:`dpviz.audit.lower_bound`. Left out: as the scores declare (:func:`canaries`), else
        the audit is about one trained model.
    neighbours : {"add_remove", "replace_one"}, optional, what neighbouring data sets differ in
    layout : {"tabs", "all"} or sequence of str
        A tab for each question; all views on one long page; or the views with these names.
    **spec
        The `tab` shown first, and further fields of :class:`Spec`, such as
        ``compare={"LiRA": more_scores}``, which shows more attacks.

    Raises
    ------
    ValueError, if a number leaves its range or the scores cannot be read

    Examples
    --------
    >>> import dpviz
    >>> explorer = dpviz.explore(epsilon=2.0, delta=1e-6)
    >>> explorer.epsilon, explorer.result.fpr
    (2.0, 0.01)
    """
    from dpviz.analysis import Spec  # imported when used
    from dpviz.widgets import Explorer

    is_claimed = claim is not None or epsilon is not None
    spec.setdefault("tested", is_claimed)
    sampling = _sampling(scores, sampling, spec)
    if sampling == "fair_coins" and neighbours is None and not is_claimed:
        claim = Spec().claim.with_parameters(adjacency="add_remove")
    choices = {"claim": claim, "epsilon": epsilon, "delta": delta, "prior": prior, "fpr": fpr}
    choices |= {"confidence_level": confidence_level, "sampling": sampling}
    spec |= {k: v for k, v in {**choices, "neighbours": neighbours}.items() if v is not None}
    source = scores if nonmember is None else (scores, nonmember)
    return Explorer(source, layout=layout, **spec)


def analyze(
    scores: Any = None,
    nonmember: Any = None,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    claim: Any = None,
    prior: float = 0.5,
    fpr: float | None = None,
    confidence_level: float = 0.95,
    sampling: "Sampling | None" = None,
    neighbours: "Adjacency | None" = None,
    **spec: Any,
) -> "Result":
    """Return the result that the explorer shows for these scores and settings.

    Parameters
    ----------
    scores, nonmember, epsilon, delta, claim, prior, fpr, confidence_level, sampling, neighbours
        As of :func:`explore`; `analyze(member, nonmember)` takes two arrays of losses. Where scores
        are given, but neither `claim` nor `epsilon`, no claim is tested.
    **spec : further fields of :class:`Spec`

    Examples
    --------
    >>> import dpviz
    >>> result = dpviz.analyze([0.1, 0.2, 0.3], [0.2, 0.8, 0.9], epsilon=1.0, delta=0.0)
    >>> round(result.sample.rates.auc.value, 3), result.outcome
    (0.833, 'cannot decide')
    """
    from dpviz.analysis import Analysis, Spec  # imported when used
    from dpviz.data import check_inputs, read_scores

    choices = {"claim": claim, "epsilon": epsilon, "delta": delta, "prior": prior, "fpr": fpr}
    choices |= {"confidence_level": confidence_level, "sampling": _sampling(scores, sampling, spec)}
    spec |= {k: v for k, v in {**choices, "neighbours": neighbours}.items() if v is not None}
    source = scores if nonmember is None else (scores, nonmember)
    analysis = Analysis(None if source is None else read_scores(source))
    if analysis.given is not None and not {"claim", "epsilon"} & spec.keys():
        spec["epsilon"] = float("inf")  # which allows every attack: no claim is tested
    # With scores all results are computed now; a claim alone has nothing slow.
    chosen = Spec.of(**spec)
    if analysis.given is None:
        return analysis.result(chosen)
    analysis.prepare_audit(chosen)
    return analysis.result(chosen).with_answer("inputs", check_inputs(analysis.given))


def _sampling(scores: Any, sampling: "Sampling | None", spec: dict[str, Any]) -> "Sampling | None":
    """Return how membership was drawn: as the argument says, or else as the scores declare."""
    from dpviz.audit.bounds.result import sampling_of  # imported when used
    from dpviz.audit.scores.base import Scores

    is_read = isinstance(scores, Scores)
    return sampling_of(scores, sampling, spec.get("applies_to")) if is_read else sampling


def __getattr__(name: str) -> Any:
    if name in ROOMS:
        return import_module(f"dpviz.{name}")
    for package, names in PUBLIC_NAMES_BY_PACKAGE.items():
        if name in names:
            return getattr(import_module(f"dpviz.{package}"), name)
    raise AttributeError(f"module 'dpviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *ROOMS, "__version__"})

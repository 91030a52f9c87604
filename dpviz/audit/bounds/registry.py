"""The methods of `lower_bound` by name; a new method is a file with a `METHOD`, and a line here."""

from dpviz.audit.bounds import e_process, fixed_threshold, one_run, rank
from dpviz.audit.bounds.result import BoundMethod, Sampling

DEFAULT = "rank_exact"
"""The method where none is chosen."""
BOUNDS: dict[str, BoundMethod] = {
    DEFAULT: rank.METHOD,
    "e_process": e_process.METHOD,
    "clopper_pearson": fixed_threshold.METHOD,
    "one_run": one_run.METHOD,
    "one_run_curve": one_run.CURVE_METHOD,
}


def default_method(sampling: Sampling | None) -> str:
    """Return the default method for records whose membership was drawn in this way."""
    return "one_run_curve" if sampling == "fair_coins" else DEFAULT

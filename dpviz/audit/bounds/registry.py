"""The methods of `lower_bound`, by name."""

from dpviz.audit.bounds import e_process, fixed_threshold, one_run, rank
from dpviz.audit.bounds.result import DEFAULT, BoundMethod

BOUNDS: dict[str, BoundMethod] = {
    DEFAULT: rank.METHOD,
    "e_process": e_process.METHOD,
    "clopper_pearson": fixed_threshold.METHOD,
    "one_run": one_run.METHOD,
    "one_run_curve": one_run.CURVE_METHOD,
}

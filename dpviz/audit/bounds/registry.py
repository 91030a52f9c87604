"""The methods of `lower_bound` by name; a new one is a file with its method and a line here."""

from dpviz.audit.bounds import (
    all_thresholds,
    e_process,
    exact_rank,
    fixed_threshold,
    one_run,
    rank,
    three_paths,
)
from dpviz.audit.bounds import all_thresholds as split_sample
from dpviz.audit.bounds import one_run as one_run_curve
from dpviz.audit.bounds.result import BoundMethod

DEFAULT = "rank_exact"
"""The method where none is chosen."""
BOUNDS: dict[str, BoundMethod] = {
    "rank_exact": exact_rank.METHOD,
    "rank": rank.METHOD,
    **all_thresholds.METHODS,
    "split": split_sample.METHOD,
    "e_process": e_process.METHOD,
    **fixed_threshold.METHODS,
    "three_paths": three_paths.METHOD,
    "one_run": one_run.METHOD,
    "one_run_curve": one_run_curve.METHOD,
}
FORMER_DEFAULT = "rank"
"""What made the bound of a document that names no method."""
RANK_TESTS = (DEFAULT, FORMER_DEFAULT)
"""Methods whose bound may test a claim: both look at every threshold, and assume no more."""

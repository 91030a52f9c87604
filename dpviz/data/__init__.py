"""Attack scores from files, tables, arrays, classifiers and other tools; packaged samples."""

from dpviz.data.check_inputs import check_inputs
from dpviz.data.estimator import scores_from_estimator
from dpviz.data.read import ReadError, read_scores
from dpviz.data.read_fleet import read_fleet
from dpviz.data.samples import read_sample, read_sample_fleet

__all__ = ["ReadError", "check_inputs", "read_fleet", "read_sample", "read_sample_fleet"]
__all__ += ["read_scores", "scores_from_estimator"]

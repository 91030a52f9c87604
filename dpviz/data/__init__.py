"""Scores at the edge: what is read, and the packaged samples."""

from dpviz.data.read import ReadError, read_scores
from dpviz.data.samples import SAMPLES, Sample, read_sample

__all__ = ["SAMPLES", "ReadError", "Sample", "read_sample", "read_scores"]

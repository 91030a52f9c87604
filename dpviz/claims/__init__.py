"""Privacy guarantees read from numbers, text, files and objects of other libraries."""

from dpviz.claims.claim import Claim
from dpviz.claims.deployments import read_sample_registry
from dpviz.claims.read import read_claim

__all__ = ["Claim", "read_claim", "read_sample_registry"]

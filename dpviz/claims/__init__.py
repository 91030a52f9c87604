"""Claims as people hold them: numbers, text, files and objects of other tools."""

from dpviz.claims.claim import Claim
from dpviz.claims.read import read_claim

__all__ = ["Claim", "read_claim"]

"""How often a guess is right without the output, as one of two arguments says it."""

from dpviz import checks
from dpviz.theory.tradeoff import Floats


def baseline_of(baseline: Floats | None, candidates: int | None) -> Floats | float:
    """Return `baseline`, or 1 / `candidates`.

    Raises ValueError unless one of them is given, or if there are fewer than two candidates.
    """
    if (baseline is None) == (candidates is None):
        raise ValueError("expected either baseline or candidates, not both and not neither")
    return 1 / checks.whole("candidates", candidates, 2) if baseline is None else baseline

"""The delta that the Epsilon* paper takes for a number of training records."""

import math

from dpviz import checks


def paper_delta(n: int) -> float:
    """1 / (n log n), below 1 / n: a method that releases one record at random has delta 1 / n.

    Parameters
    ----------
    n : int
        Training records, at least 3.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `n` is smaller: then it is no smaller than 1 / n.

    References
    ----------
    Negoescu et al., "Epsilon*: Privacy metric for machine learning models" (2023), section 7.

    Examples
    --------
    >>> from dpviz import audit
    >>> f"{audit.paper_delta(48_000):.3g}"
    '1.93e-06'
    """
    n = checks.whole("n", n, 3)
    return 1 / (n * math.log(n))

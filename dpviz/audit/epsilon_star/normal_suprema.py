"""The four Epsilon* ratios of two Normal distributions: exact suprema over all thresholds, no grid.

Proof. Each is the supremum of ``g = (A - delta) / B`` with A and B the CDFs of two Normal laws,
after swapping them (m2, m4) and reflecting the line (m2, m3); in units of the law below, B = Phi.
With h the density ratio dA/dB, ``g' = (dB / B)(h - g)``: g rises while g < h and falls while g > h.
So g has its local maxima where h decreases, and each interval on which h decreases holds at most
one. At the maximum g = h, so psi = log g - log h changes sign there once, from - to +.

Scalars and `math`, not arrays: a pair takes a few dozen evaluations, and numpy would spend more on
each call than on the number.
"""

from collections.abc import Callable
from math import exp, expm1, inf, isinf, log, log1p

from scipy.special import erfcx, log_ndtr, ndtri

from dpviz.audit.epsilon_star.certified_suprema import Supremum
from dpviz.audit.epsilon_star.laws import Normal

BISECTIONS = 200  # at most
DOUBLINGS = 500  # at most
SETTLED = 1e-13  # a last Newton step adds less to the log ratio
NEAR = 0.01  # a last step, in units in which the density of B changes by a factor of e
LOG_SQRT_TWO_PI = 0.9189385332046727
LOG_SQRT_HALF_PI = 0.22579135264472744
SQRT_TWO = 1.4142135623730951


def normal_suprema(
    nonmember: Normal, member: Normal, *, delta: float, low: float, high: float
) -> tuple[Supremum, ...]:
    """The suprema of log m1..m4 over thresholds in [low, high]; exact to about 1e-13."""
    found = []
    for top, bottom, sign in (
        (member, nonmember, 1),
        (nonmember, member, -1),
        (member, nonmember, -1),
        (nonmember, member, 1),
    ):
        # Standardise by the denominator: squares of the original numbers would over- or underflow.
        mean, sd = sign * (top.mean - bottom.mean) / bottom.sd, top.sd / bottom.sd
        ends = sorted(end if isinf(end) else (end - bottom.mean) / bottom.sd for end in (low, high))
        if sign < 0:
            ends = [-ends[1], -ends[0]]
        value, x = _largest_tail_ratio(mean, sd, delta=delta, low=ends[0], high=ends[1])
        place = None if x is None else bottom.mean + bottom.sd * sign * x
        found.append(Supremum(log_ratio=value, x=place, gap=0.0))
    return tuple(found)


def _largest_tail_ratio(
    mean: float, sd: float, *, delta: float, low: float, high: float
) -> tuple[float, float | None]:
    """Supremum over x in [low, high] of ``log((Phi((x - mean) / sd) - delta) / Phi(x))``.

    The place is -inf for a limit on the left, None for the limit ``log(1 - delta)`` on the right.
    """
    unbounded = isinf(low) and isinf(high)
    if unbounded and delta == 0 and (sd > 1 or (sd == 1 and mean < 0)):
        return inf, -inf
    best, place = -inf, 0.0
    candidates = [] if unbounded else [low, high]
    stationary = _stationary_point(mean, sd, delta)
    if stationary is not None and low <= stationary <= high:
        candidates.append(stationary)
    for x in candidates:
        value = _log_ratio(mean, sd, x, delta)
        if value >= best:
            best, place = value, x
    limit = log1p(-delta) if delta < 1 else -inf
    return (limit, None) if unbounded and limit >= best else (best, place)


def _log_ratio(mean: float, sd: float, x: float, delta: float) -> float:
    """The log ratio at x, accurate where both tails are far below 1e-308 and nearly cancel."""
    z = (x - mean) / sd
    log_a = float(log_ndtr(z))
    left = _log_share_left(log_a, delta)
    if left == -inf:
        return -inf
    if x >= 0 or z >= 0:
        return log_a + left - float(log_ndtr(x))
    return left + _log_mills(z) - _log_mills(x) + _halved_squares(mean, sd, x, z)


def _log_share_left(log_a: float, delta: float) -> float:
    """``log(1 - delta / A)``; -inf where that is not positive."""
    if delta == 0:
        return 0.0
    gap = log(delta) - log_a
    if gap >= 0:
        return -inf
    return log(-expm1(gap)) if gap > -0.6931471805599453 else log1p(-exp(gap))


def _log_mills(x: float) -> float:
    """``log(Phi(x) / phi(x))``."""
    if x < 0:
        return log(float(erfcx(-x / SQRT_TWO))) + LOG_SQRT_HALF_PI
    return float(log_ndtr(x)) + x * x / 2 + LOG_SQRT_TWO_PI


def _halved_squares(mean: float, sd: float, x: float, z: float) -> float:
    """``(x^2 - z^2) / 2``, with the digits that subtracting z from x would lose."""
    return (x * (sd - 1) + mean) / sd * (x + z) / 2


def _stationary_point(mean: float, sd: float, delta: float) -> float | None:
    """The only possible interior maximum, or None."""
    start = mean + sd * float(ndtri(delta))  # the ratio is negative on the left of it
    left, right = start, inf
    if sd == 1:
        if mean >= 0:
            return None
    else:
        vertex = mean / ((1 - sd) * (1 + sd))
        if sd < 1:
            left = max(vertex, start)
        else:
            right = vertex
    if isinf(left) or left >= right:  # falls all the way, or is never positive
        return None

    def psi(x: float) -> tuple[float, float, float]:
        """Log g - log h, its derivative, and dB / B."""
        z = (x - mean) / sd
        log_a = float(log_ndtr(z))
        left_over = _log_share_left(log_a, delta)
        if left_over == -inf:
            return -inf, inf, 0.0
        mills_a, mills_b = _log_mills(z), _log_mills(x)
        rising, falling = exp(min(-mills_a - left_over, 700.0)), exp(-mills_b)
        slope = (rising + z) / sd - (falling + x)
        if x > 0 and z > 0:
            log_h = _halved_squares(mean, sd, x, z) - log(sd)
            return log_a + left_over - float(log_ndtr(x)) - log_h, slope, falling
        return left_over + mills_a - mills_b + log(sd), slope, falling

    if isinf(right):
        step = max(1.0, sd)
        for _ in range(DOUBLINGS):
            if psi(left + step)[0] > 0:
                right = left + step
                break
            left, step = left + step, 2 * step
        else:  # equal but for rounding: the ratio only nears its limit
            return None
    elif psi(right)[0] <= 0:
        return None
    return _sign_change(psi, left, right)


def _sign_change(
    psi: Callable[[float], tuple[float, float, float]], left: float, right: float
) -> float:
    """The sign change of psi between `left` and `right`: Newton's steps, or bisection.

    The derivative of log g is (exp(-psi) - 1) dB / B: times the step, the error of the log ratio.
    """
    x = left + (right - left) / 2
    for _ in range(BISECTIONS):
        value, slope, falling = psi(x)
        if value > 0:
            right = x
        else:
            left = x
        step = -value / slope if slope > 0 else inf
        following = x + step
        if not left < following < right:
            following = left + (right - left) / 2
            step = inf
        if following in (left, right):
            return right  # at the left end the ratio may not be positive yet
        # Far right, where B is 1 and its density almost 0, a long step adds little, too.
        if abs(step) * (1 + abs(x)) <= NEAR and abs(step * value) * falling <= SETTLED:
            return following
        x = following
    return x

"""The closed forms once more, from their definitions, at 50 digits: no float, no dpviz."""

from typing import Any

from mpmath import erfc, exp, findroot, inf, log, mp, mpf, sqrt

mp.dps = 50

Claim = dict[str, Any]


def cdf(z: mpf) -> mpf:
    return erfc(-z / sqrt(2)) / 2


def quantile(p: mpf) -> mpf:
    if p in (0, 0.5, 1):
        return {0: -inf, 0.5: mpf(0), 1: inf}[float(p)]
    if p > 0.5:
        return -quantile(1 - p)
    # The quantile of a log-probability, by bisection and then the secant method.
    goal = log(p)
    low, high = -sqrt(-2 * goal) - 1, mpf(0)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if log(cdf(middle)) < goal else (low, middle)
    return findroot(lambda z: log(cdf(z)) - goal, (low, high), solver="anderson", tol=1e-90)


def is_vacuous(claim: Claim) -> bool:
    return inf in claim.values() or claim.get("delta") == 1


def fnr(claim: Claim, fpr: mpf) -> mpf:
    """Smallest FNR of a test whose FPR is given."""
    a = mpf(fpr)
    if is_vacuous(claim):
        return mpf(0)
    if claim["kind"] == "approximate":
        e, d = mpf(claim["epsilon"]), mpf(claim["delta"])
        return max(mpf(0), 1 - d - exp(e) * a, exp(-e) * (1 - d - a))
    if claim["kind"] == "gaussian":
        return cdf(-quantile(a) - mpf(claim["mu"])) if claim["mu"] else 1 - a
    # Members' outputs are Laplace about s, others' about 0; "member" is said from t on.
    s = mpf(claim["epsilon"])
    if a in (0, 1):
        return 1 - a
    t = -log(2 * a) if a <= 0.5 else log(2 * (1 - a))
    return 1 - exp(s - t) / 2 if t >= s else exp(t - s) / 2


def tpr(claim: Claim, fpr: mpf) -> mpf:
    """Largest TPR of a test whose FPR is given."""
    a = mpf(fpr)
    if is_vacuous(claim):
        return mpf(1)
    if claim["kind"] == "approximate":
        e, d = mpf(claim["epsilon"]), mpf(claim["delta"])
        return min(mpf(1), d + exp(e) * a, 1 - exp(-e) * (1 - d - a))
    if claim["kind"] == "gaussian":
        return cdf(quantile(a) + mpf(claim["mu"])) if claim["mu"] else a
    s = mpf(claim["epsilon"])
    return exp(s) * a if 2 * a <= exp(-s) else 1 - fnr(claim, a)


def delta(claim: Claim, epsilon: mpf) -> mpf:
    """Q(L > epsilon) - e^epsilon P(L > epsilon) at the threshold where the densities cross."""
    e = mpf(epsilon)
    if is_vacuous(claim):
        return mpf(1)
    if claim["kind"] == "approximate":
        e0, d0 = mpf(claim["epsilon"]), mpf(claim["delta"])
        kink = (1 - d0) / (1 + exp(e0))
        corners = [mpf(0), kink, 1 - d0]
        return max(tpr(claim, x) - exp(e) * x for x in corners)
    if claim["kind"] == "gaussian":
        mu = mpf(claim["mu"])
        if mu == 0:
            return max(mpf(0), 1 - exp(e))
        return cdf(mu / 2 - e / mu) - exp(e) * cdf(-mu / 2 - e / mu)
    s = mpf(claim["epsilon"])
    if e >= s:
        return mpf(0)
    if e <= -s:
        return 1 - exp(e)
    t = (s + e) / 2  # where the loss 2 t - s of an output t in [0, s] is e
    return (1 - exp(t - s) / 2) - exp(e) * exp(-t) / 2


def implied(fpr: float, fnr: float, at: float) -> list[mpf]:
    a, b, d = mpf(fpr), mpf(fnr), mpf(at)

    def logs(top: mpf, bottom: mpf) -> mpf:
        if top <= 0:
            return -inf
        return inf if bottom == 0 else log(top / bottom)

    return [
        logs(1 - b - d, a),
        logs(1 - a - d, b),
        logs(b - d, 1 - a),
        logs(a - d, 1 - b),
    ]


def delta_of_point(fpr: float, fnr: float, epsilon: float) -> mpf:
    a, b = mpf(fpr), mpf(fnr)
    pairs = [(1 - b, a), (1 - a, b), (b, 1 - a), (a, 1 - b)]
    if epsilon == inf:
        return mpf(0)
    return max(mpf(0), *(top - exp(mpf(epsilon)) * bottom for top, bottom in pairs))


def share(odds_against: mpf, prior: float) -> mpf:
    """``1 / (1 + odds_against)`` after weighing with the prior odds."""
    gamma = (1 - mpf(prior)) / mpf(prior)
    return 1 / (1 + gamma * odds_against)


def largest_loss(claim: Claim) -> mpf:
    if claim["kind"] == "gaussian":
        return inf if claim["mu"] > 0 else mpf(0)
    if claim["kind"] == "approximate" and claim["delta"] > 0:
        return inf
    return mpf(claim["epsilon"])


def ppv(claim: Claim, fpr: float, prior: float) -> mpf:
    top = tpr(claim, mpf(fpr))
    ratio = exp(-largest_loss(claim)) if top == 0 else mpf(fpr) / top
    return share(ratio, prior)


def npv(claim: Claim, fpr: float, prior: float) -> mpf:
    missed = fnr(claim, mpf(fpr))
    ratio = exp(-largest_loss(claim)) if missed == 0 and fpr == 1 else missed / (1 - mpf(fpr))
    return 1 / (1 + ratio * mpf(prior) / (1 - mpf(prior)))

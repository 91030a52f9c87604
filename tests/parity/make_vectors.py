"""Write vectors.json, which both sides of the closed forms are tested against.

``python -m tests.parity.make_vectors``; the same file each time.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from mpmath import expm1, isinf, log, mp, mpf, nstr

from tests.parity import oracle
from tests.parity.oracle import Claim
from tests.parity.wording_vectors import wording

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE.parent / "golden" / "golden.json").read_text())["functions"]
HEADER = (
    "Claims are under replace-one adjacency. Cases with an id are copied from "
    "tests/golden/golden.json; all other numbers are tests/parity/oracle.py at 50 digits (mpmath), "
    "rounded to the nearest double; texts are the decimal module's, Python's own repr and float. "
    "Made by tests/parity/make_vectors.py. What JSON cannot write are the strings #Infinity, "
    "#-Infinity, #NaN and #-0."
)
RATES = [0.0, 2.5e-308, 1e-300, 1e-20, 1e-9, 1e-5, 0.01, 0.25, 0.5, 0.75, 0.99, 1 - 1e-9, 1.0]
MIDDLE = [0.2, 0.499, 0.5 + 1e-9, 0.8001]
Case = dict[str, Any]


def approximate(epsilon: float, delta: float) -> Claim:
    return {"kind": "approximate", "epsilon": epsilon, "delta": delta}


def gaussian(mu: float) -> Claim:
    return {"kind": "gaussian", "mu": mu}


def laplace(epsilon: float) -> Claim:
    return {"kind": "laplace", "epsilon": epsilon}


EDGES = [
    *(approximate(e, d) for e in (0.0, 1e-9, 1.0, 40.0, 800.0) for d in (0.0, 1e-5, 0.25)),
    *(approximate(math.inf, 0.0), approximate(1.0, 1.0), approximate(0.0, 1.0)),
    *(gaussian(mu) for mu in (0.0, 1e-6, 0.1, 1.0, 5.0, 30.0, math.inf)),
    *(laplace(e) for e in (0.0, 1e-6, 0.5, 2.0, 30.0, 800.0, math.inf)),
]


def random_claim(rng: Random) -> Claim:
    size = 10 ** rng.uniform(-2, 1)
    kinds = [approximate(size, 10 ** rng.uniform(-8, -0.5)), gaussian(size), laplace(size)]
    return rng.choice(kinds)


def random_rate(rng: Random) -> float:
    return rng.choice([rng.random(), 10 ** rng.uniform(-12, 0)])


def written(value: Any) -> Any:
    """JSON for a number of 50 digits, or for anything that holds some."""
    if isinstance(value, dict):
        return {key: written(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [written(part) for part in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, mpf):
        value = float(value) if isinf(value) else float(nstr(value, 40, min_fixed=1, max_fixed=0))
    if math.isnan(value):
        return "#NaN"
    if math.isinf(value):
        return "#Infinity" if value > 0 else "#-Infinity"
    return "#-0" if value == 0 and math.copysign(1, value) < 0 else value


def cases(function: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Case]:
    return [{"args": list(given), "value": function(*given)} for given in arguments]


def golden(name: str, out: str, args: Callable[[dict[str, Any]], list[Any]]) -> list[Case]:
    """Golden cases with their absolute tolerance, which says what rounding costs there."""
    found = []
    for i, case in enumerate(GOLDEN[name]["cases"]):
        given = {k: float(v) for k, v in case["in"].items()}
        value = numbers_of(case["out"][out])
        atol = GOLDEN[name]["tol"]["atol"]
        found.append({"id": f"{name}-{i}", "args": args(given), "value": value, "atol": atol})
    return found


def numbers_of(value: Any) -> Any:
    return [numbers_of(part) for part in value] if isinstance(value, list) else mpf(value)


def well_conditioned(claim: Claim, fpr: float) -> bool:
    """Whether 1 - tpr keeps its digits when 1 - delta and e^epsilon fpr are rounded."""
    fnr = oracle.fnr(claim, mpf(fpr))
    return fnr == 0 or fnr > 1e-3 or claim["kind"] != "approximate"


def at_rates(seed: int, count: int = 70) -> list[tuple[Claim, float]]:
    rng = Random(seed)
    some = [(random_claim(rng), random_rate(rng)) for _ in range(count)]
    edges = [(laplace(30.0), 1e-9), (laplace(30.0), 1e-5), (gaussian(1e-6), 1e-5)]
    edges += [(claim, rate) for i, claim in enumerate(EDGES) for rate in RATES[i % 3 :: 3]]
    return edges + some


def at_losses(seed: int) -> list[tuple[Claim, float]]:
    rng = Random(seed)
    losses = [-800.0, -3.0, -1e-3, 0.0, 1e-6, 0.5, 2.0, 20.0]
    edges = [(claim, loss) for i, claim in enumerate(EDGES) for loss in losses[i % 2 :: 2]]
    return edges + [(random_claim(rng), rng.uniform(-2, 6)) for _ in range(60)]


def epsilon_cases() -> list[Case]:
    """Arguments (claim, delta); value is epsilon, and found by inverting the profile."""
    rng = Random(5)
    found: list[Case] = []
    for claim in EDGES:
        found += [{"args": [claim, 1.0], "value": mpf(0)}]
        at_zero = math.inf if oracle.is_vacuous(claim) else oracle.largest_loss(claim)
        found += [{"args": [claim, 0.0], "value": mpf(at_zero)}]
    for _ in range(60):
        claim = random_claim(rng)
        low, high = mpf(claim.get("delta", 0)), oracle.delta(claim, mpf(0))
        target = float(low + (high - low) * mpf(10) ** rng.uniform(-9, -0.05))
        found += [{"args": [claim, target], "value": inverted(claim, mpf(target))}]
    return found


def inverted(claim: Claim, target: mpf) -> mpf:
    low, high = mpf(0), mpf(2000)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if oracle.delta(claim, middle) > target else (low, middle)
    return high


def points(seed: int) -> list[tuple[float, float, float]]:
    """Pairs of rates, with a delta; none so near a line that the answer is mostly rounding."""
    rng = Random(seed)
    edges = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.25), (0.25, 0.0), (0.5, 0.5)]
    found = [(a, b, d) for a, b in edges for d in (0.0, 0.25, 1.0)]
    while len(found) < 90:
        a, b = random_rate(rng), random_rate(rng)
        if rng.random() < 0.5:
            a, b = 1 - a, 1 - b
        d = rng.choice([0.0, 1e-5, 10 ** rng.uniform(-9, -1)])
        if all(isinf(e) or abs(e) > 1e-3 for e in oracle.implied(a, b, d)):
            found.append((a, b, d))
    return found


def distances_from_lines(claim: Claim, fpr: float, fnr: float) -> list[mpf]:
    """How far inside each end of the interval of admitted FNRs a pair lies."""
    low, high = oracle.fnr(claim, mpf(fpr)), 1 - oracle.fnr(claim, 1 - mpf(fpr))
    return [mpf(fnr) - low, high - mpf(fnr)]


def admits_cases() -> list[Case]:
    rng = Random(6)
    found = []
    for claim in [*EDGES, *(random_claim(rng) for _ in range(40))]:
        for fpr, fnr in [(0.25, 0.25), (0.0, 0.0), (random_rate(rng), random_rate(rng))]:
            inside = distances_from_lines(claim, fpr, fnr)
            if min(abs(gap) for gap in inside) > 1e-9:
                found.append({"args": [claim, fpr, fnr], "value": min(inside) >= 0})
    return found


def curve_points(claim: Claim) -> list[list[mpf]]:
    """Points of the curve: its corners, or 33 of them spread in log-odds."""
    if oracle.is_vacuous(claim):
        return [[mpf(0), mpf(0)], [mpf(1), mpf(0)]]
    if claim["kind"] == "approximate":
        flat = 1 - mpf(claim["delta"])
        kink = flat / (1 + mp.exp(mpf(claim["epsilon"])))
        corners = [[mpf(0), flat], [kink, kink], [flat, mpf(0)], [mpf(1), mpf(0)]]
        if claim["epsilon"] == 0:
            del corners[1]
        return [c for i, c in enumerate(corners) if c not in corners[:i]]
    rates = [1 / (1 + mp.exp(-mpf(i) * 3 / 4)) for i in range(-16, 17)]
    return [[x, oracle.fnr(claim, x)] for x in rates]


def replaced(claim: Claim) -> Claim:
    doubled = {"kind": claim["kind"]}
    for name in ("epsilon", "mu"):
        if name in claim:
            doubled[name] = 2 * claim[name]
    if claim["kind"] == "approximate":
        d = mpf(claim["delta"])
        doubled["delta"] = min(mpf(1), d * (1 + mp.exp(mpf(claim["epsilon"])))) if d else d
    return doubled


def vectors() -> dict[str, list[Case]]:
    approx = lambda c: approximate(c["eps"], c["delta"])  # noqa: E731
    claims = EDGES + [random_claim(Random(i)) for i in range(30)]
    priors = [0.5, 0.1, 1e-3, 0.9, 1e-9]
    with_prior = [(c, x, priors[i % 5]) for i, (c, x) in enumerate(at_rates(3, 90)[::2])]
    normal = [0.0, 1e-300, 1e-9, 0.3, 1.0, 1.4999, 1.5, 1.5001, 2.0, 3.7, 8.0, 20.0, 37.5]
    normal += [-z for z in normal]
    logs = [-1e-30, -1e-9, -0.1, -0.6, -0.75, -1.0, -5.0, -40.0, -700.0, -1e5]
    seven = list(enumerate(points(9)))
    return {
        "cdf": cases(lambda z: oracle.cdf(mpf(z)), [(z,) for z in normal]),
        "logCdf": cases(
            lambda z: log(oracle.cdf(mpf(z))), [(z,) for z in [*normal, -100.0, -400.0, -447.0]]
        ),
        "erf": cases(lambda x: mp.erf(mpf(x)), [(x,) for x in normal]),
        "quantile": cases(lambda p: oracle.quantile(mpf(p)), [(p,) for p in [*RATES, *MIDDLE]]),
        "quantileOfLog": cases(log_quantile, [(p,) for p in logs]),
        "fnr": golden("f_eps_delta", "f", lambda c: [approx(c), c["alpha"]])
        + golden("gauss_tradeoff", "f", lambda c: [gaussian(c["mu"]), c["alpha"]])
        + golden("laplace_tradeoff", "f", lambda c: [laplace(c["s"]), c["alpha"]])
        + cases(
            oracle.fnr,
            [given for given in at_rates(1) if well_conditioned(*given)],
        ),
        "tpr": cases(oracle.tpr, at_rates(2)),
        "advantage": golden("advantage_at", "adv", lambda c: [approx(c), c["alpha"]])
        + cases(lambda c, x: oracle.tpr(c, mpf(x)) - mpf(x), at_rates(4)),
        "ppv": golden("metrics_ed", "ppv", lambda c: [approx(c), c["alpha"], c["p"]])
        + golden("metrics_gauss", "ppv", lambda c: [gaussian(c["mu"]), c["alpha"], c["p"]])
        + golden("metrics_laplace", "ppv", lambda c: [laplace(c["s"]), c["alpha"], c["p"]])
        + cases(oracle.ppv, with_prior),
        "npv": golden("metrics_ed", "npv", lambda c: [approx(c), c["alpha"], c["p"]])
        + golden("metrics_gauss", "npv", lambda c: [gaussian(c["mu"]), c["alpha"], c["p"]])
        + cases(oracle.npv, [given for given in with_prior if well_conditioned(*given[:2])]),
        "deltaAt": golden("gauss_delta", "delta", lambda c: [gaussian(c["mu"]), c["eps"]])
        + golden("laplace_delta", "delta", lambda c: [laplace(c["s"]), c["eps"]])
        + golden("ed_delta", "delta", lambda c: [approximate(c["eps0"], c["delta0"]), c["eps"]])
        + cases(oracle.delta, at_losses(8)),
        "epsilonAt": golden("gauss_eps", "eps", lambda c: [gaussian(c["mu"]), c["delta"]])
        + golden("laplace_eps", "eps", lambda c: [laplace(c["s"]), c["delta"]])
        + epsilon_cases(),
        "impliedEpsilons": golden("eps_from_point", "e", lambda c: [c["fpr"], c["fnr"], c["delta"]])
        + cases(oracle.implied, [p for _, p in seven]),
        "deltaAtPoint": golden(
            "delta_from_point", "delta", lambda c: [c["fpr"], c["fnr"], c["eps"]]
        )
        + cases(
            oracle.delta_of_point,
            [(a, b, [0.0, 0.1, 1.0, 5.0, math.inf][i % 5]) for i, (a, b, _) in seven],
        ),
        "admits": admits_cases(),
        "replaceOne": cases(replaced, [(c,) for c in claims]),
        "curve": cases(curve_points, [(c,) for c in EDGES] + [(c,) for c in claims[-12:]]),
        "region": golden("region_vertices", "vertices", lambda c: [approx(c)]),
        **wording(cases),
    }


def log_quantile(log_p: float) -> mpf:
    """The quantile of e^log_p."""
    if log_p > -0.5:
        return -log_quantile_of(log(-expm1(mpf(log_p))))
    return log_quantile_of(mpf(log_p))


def log_quantile_of(log_p: mpf) -> mpf:
    return oracle.quantile(mp.exp(log_p))


def main() -> None:
    parts = []
    for name, given in vectors().items():
        lines = ",\n".join(
            json.dumps(written(case), separators=(",", ":"), allow_nan=False, ensure_ascii=False)
            for case in given
        )
        parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
    header = f'"header": {json.dumps(HEADER)}'
    (HERE / "vectors.json").write_text("{\n" + ",\n".join([header, *parts]) + "\n}\n")


if __name__ == "__main__":
    main()

"""Opacus: its accountants, and a PrivacyEngine that has one; riskcal's accountant, alike."""

from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.reader import Reader
from dpviz.theory import Composed, SubsampledGaussian

APPROXIMATE = 'its "gdp" accountant uses a central limit theorem; this curve is computed instead'


def _accountant(source: Any) -> Any:
    """The accountant that a source is or has; None for anything else."""
    for each in (source, getattr(source, "accountant", None)):
        if isinstance(getattr(each, "history", None), list) and hasattr(each, "mechanism"):
            return each
    return None


def _read(source: Any) -> Claim:
    accountant = _accountant(source)
    if not accountant.history:
        raise ValueError("the accountant must have steps, got an empty history")
    if any(not isinstance(run, tuple | list) or len(run) != 3 for run in accountant.history):
        rule = "runs (noise multiplier, sample rate, steps)"
        raise checks.fail("the accountant's history", rule, accountant.history)
    runs = [
        SubsampledGaussian(noise_multiplier=noise, sampling_rate=rate, steps=steps)
        for noise, rate, steps in accountant.history
    ]
    mechanism = accountant.mechanism()
    return Claim(
        guarantee=runs[0] if len(runs) == 1 else Composed(runs),
        source=f"the history of {type(accountant).__name__} ({mechanism})",
        states_adjacency=True,
        notes=(APPROXIMATE,) if mechanism == "gdp" else (),
    )


OPACUS = Reader(
    name="an Opacus accountant or PrivacyEngine",
    accepts=lambda source: _accountant(source) is not None,
    read=_read,
)

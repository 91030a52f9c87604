"""``dpviz certify``: what a published number proves of epsilon."""

import sys
from argparse import Namespace

from dpviz.analysis.number_format import exact, lower, percent, short
from dpviz.audit.bounds.certify import Certificate, certify

NAMES = {
    "auc": "an AUC",
    "advantage": "an advantage (largest TPR - FPR)",
    "accuracy": "an accuracy",
    "tpr": "a TPR",
    "precision": "a precision",
}
CONDITIONS = (
    "It holds if the number was computed on records that no part of the attack was fitted to: {}. "
    "A lower bound cannot show that epsilon is small."
)


def run(chosen: Namespace) -> int:
    """Print the bound; 0, since a number alone contradicts no claim.

    Raises ValueError if the number is impossible, or an option is out of range.
    """
    given = ("auc", "advantage", "accuracy", "tpr", "fpr", "precision", "k")
    found = certify(
        **{name: getattr(chosen, name) for name in given},
        n_members=chosen.members,
        n_nonmembers=chosen.nonmembers,
        delta=chosen.delta,
        confidence_level=chosen.confidence_level,
        ties=chosen.ties,
    )
    sys.stdout.write(f"{said(found)}\n{CONDITIONS.format(found.sampling)}\n")
    return 0


def said(found: Certificate) -> str:
    """The certificate as one sentence."""
    at = f" at {found.place}" if found.place else ""
    read = (
        f" (read as {exact(found.least)} or more)" if exact(found.least) != found.published else ""
    )
    what = (
        f"{NAMES[found.statistic]} of {found.published}{at}{read} on {found.n_members} members and "
        f"{found.n_nonmembers} non-members"
    )
    how = f"at delta = {short(found.delta)}, with {percent(found.confidence_level)} confidence"
    if found.low == 0:
        return f"{what[0].upper()}{what[1:]} certifies nothing {how}: {found.note}."
    return f"{what[0].upper()}{what[1:]} certifies epsilon >= {short(lower(found.low))} {how}."

"""``dpviz certify``: what a published number proves of epsilon."""

import sys
from argparse import Namespace

from dpviz.analysis.sentences.certificate import certificate, conditions
from dpviz.audit.bounds.certify import certify


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
    sys.stdout.write(f"{certificate(found)}\n{conditions(found)}\n")
    return 0

"""A registered protocol as the defaults of an audit's options."""

from argparse import Namespace

from dpviz.analysis import Spec
from dpviz.reports.receipt import read_receipt

PLANNED = ("claim", "delta", "confidence_level", "applies_to", "neighbours")


def with_protocol(chosen: Namespace) -> Namespace:
    """Options with `receipt`; those that were left out are as planned there, or the defaults."""
    receipt = None if chosen.protocol is None else read_receipt(chosen.protocol)
    filled = Namespace(**vars(chosen), receipt=receipt)
    default = Spec()
    for name in PLANNED:
        if getattr(chosen, name) is None and receipt is not None:
            setattr(filled, name, getattr(receipt, name))
        elif getattr(chosen, name) is None and name not in ("claim", "delta"):
            setattr(filled, name, getattr(default, name))
    return filled

"""Known bugs of private programs, each beside the same program without it."""

from dpviz.testing.gallery.bug import Bug
from dpviz.testing.gallery.registry import BUGS

__all__ = ["BUGS", "Bug"]

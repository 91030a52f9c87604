"""Privacy tests of code: `check_mechanism`, a plugin for pytest, and `ClaimWatch`.

pytest imports this package wherever dpviz is installed, so heavy modules are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpviz.testing.check import check_mechanism
    from dpviz.testing.claim_watch import ClaimWatch
    from dpviz.testing.result import Counterexample, MechanismTest

__all__ = ["ClaimWatch", "Counterexample", "MechanismTest", "check_mechanism"]

MODULES = {"ClaimWatch": "claim_watch", "check_mechanism": "check"}  # the others are in `result`


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'dpviz.testing' has no attribute {name!r}")
    return getattr(import_module(f"dpviz.testing.{MODULES.get(name, 'result')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

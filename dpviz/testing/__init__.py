"""Privacy tests of code: `check_mechanism`, `check_auditor`, a plugin for pytest, `ClaimWatch`.

pytest imports this package wherever dpviz is installed, so heavy modules are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpviz.testing.auditors.check import check_auditor
    from dpviz.testing.check import check_mechanism
    from dpviz.testing.claim_watch import ClaimWatch

MODULES = {
    "ClaimWatch": "claim_watch",
    "check_auditor": "auditors.check",
    "check_mechanism": "check",
}
__all__ = ["ClaimWatch", "check_auditor", "check_mechanism"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'dpviz.testing' has no attribute {name!r}")
    return getattr(import_module(f"dpviz.testing.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

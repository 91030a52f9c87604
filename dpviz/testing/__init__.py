"""Privacy tests of code: `check_mechanism`, `check_auditor`, a plugin for pytest, `ClaimWatch`.

pytest imports this package wherever dpviz is installed, so heavy modules are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpviz.testing.auditors.cases import KnownCase
    from dpviz.testing.auditors.check import check_auditor
    from dpviz.testing.auditors.result import AuditorCheck, CaseOutcome
    from dpviz.testing.check import check_mechanism
    from dpviz.testing.claim_watch import ClaimWatch
    from dpviz.testing.result import Counterexample, MechanismTest

__all__ = ["AuditorCheck", "CaseOutcome", "ClaimWatch", "Counterexample", "KnownCase"]
__all__ += ["MechanismTest", "check_auditor", "check_mechanism"]

MODULES = {
    "AuditorCheck": "auditors.result",
    "CaseOutcome": "auditors.result",
    "KnownCase": "auditors.cases",
    "check_auditor": "auditors.check",
    "ClaimWatch": "claim_watch",
    "check_mechanism": "check",
}  # the others are in `result`


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'dpviz.testing' has no attribute {name!r}")
    return getattr(import_module(f"dpviz.testing.{MODULES.get(name, 'result')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

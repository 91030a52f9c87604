"""The published files of other libraries, imported without what their bounds do not use.

The `__init__` of a package often imports a training framework of some gigabytes, which no bound
needs. So it is not run, and a stand-in takes the place of torch where torch is not installed:
arrays that have the few functions used here.
"""

import sys
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import dpviz

# Packages whose `__init__` is not run.
PACKAGES = ("jax_privacy", "memaudit", "opake.api.auditing", "opake.auditing", "opake.random")


class Tensor(np.ndarray):
    """An array with the two methods of a tensor that are used."""

    def numpy(self) -> Any:
        """The array itself."""
        return self.view(np.ndarray)


def stand_in_for_torch() -> ModuleType:
    """Functions on arrays under the names of torch."""
    torch, utils, data = (ModuleType(name) for name in ("torch", "torch.utils", "torch.utils.data"))

    def as_tensor(values: Any) -> Tensor:
        return np.asarray(values, float).view(Tensor)

    torch.__dict__.update(
        Tensor=Tensor,
        tensor=as_tensor,
        cat=lambda parts: np.concatenate(parts).view(Tensor),
        ones_like=np.ones_like,
        zeros_like=np.zeros_like,
        argsort=lambda values, descending=False: np.argsort(-values if descending else values),
        utils=utils,
    )
    utils.__dict__["data"] = data
    data.__dict__["Subset"] = object
    return torch


def provide_torch() -> ModuleType:
    """Import torch, or put the stand-in where it would be."""
    if "torch" not in sys.modules and find_spec("torch") is None:
        torch = stand_in_for_torch()
        sys.modules |= {
            "torch": torch,
            "torch.utils": torch.utils,
            "torch.utils.data": torch.utils.data,
        }
    return import_module("torch")


@cache
def without_init(module: str) -> Any:
    """Import a module of a package whose `__init__` is not run."""
    provide_torch()
    for name in PACKAGES:
        if name not in sys.modules and module.startswith(name.split(".")[0]):
            package = ModuleType(name)
            package.__path__ = [str(Path(entry, *name.split("."))) for entry in sys.path]
            sys.modules[name] = package
    if "opake.random" in sys.modules:  # seeds of coin flips, which are drawn elsewhere here
        sys.modules["opake.random"].__dict__.setdefault("fold_in", None)
    return import_module(module)


def installed(distribution: str) -> str | None:
    """The version of a distribution; None where it is not installed."""
    if distribution == "dpviz":  # perhaps a folder on the path
        return dpviz.__version__
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None

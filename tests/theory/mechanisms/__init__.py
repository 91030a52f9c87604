"""One module for every key of the registry: what tests need to know about a new mechanism.

`EXAMPLES`: parameters, corners and the middle, under which it has to obey the laws.
`EXPERIMENTS`: samplers from its definition, for the likelihood-ratio test.
`NUMERIC` (optional): whether its curve is searched for, a conjugate or an inverse.
`NOISY`, `COUNTED` (optional): guarantees with outputs on a line; noise with its two distributions.
"""

from importlib import import_module
from typing import Any

from dpviz.theory import MECHANISMS


def collected(name: str, default: Any = None) -> dict[str, Any]:
    """By the registry's keys, a variable of each module; those that leave it out have `default`."""
    found = {}
    for key in MECHANISMS:
        module = import_module(f"{__name__}.{key}")
        found[key] = getattr(module, name) if default is None else getattr(module, name, default)
    return found

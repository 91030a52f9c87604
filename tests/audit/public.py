"""The modules whose `__all__` has the public names of the audit."""

from importlib import import_module

from dpviz import audit

MODULES = (
    *(audit, audit.blind, audit.bounds, audit.evidence, audit.roc, audit.models),
    audit.upper_limits,
    *(audit.comparison, import_module("dpviz.audit.epsilon_star")),
)
PUBLIC = {name: getattr(module, name) for module in MODULES for name in module.__all__}

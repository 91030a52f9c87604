"""The registry of checks of inputs."""

from collections.abc import Callable

from dpviz.audit.inputs.drift import drift
from dpviz.audit.inputs.duplicates import duplicates
from dpviz.audit.inputs.finding import Finding, Inputs
from dpviz.audit.inputs.label_function import label_function
from dpviz.audit.inputs.order import order
from dpviz.audit.inputs.sizes import sizes
from dpviz.audit.inputs.ties import ties

CHECKS: dict[str, Callable[[Inputs], list[Finding]]] = {
    "sizes": sizes,
    "ties": ties,
    "duplicates": duplicates,
    "label_function": label_function,
    "drift": drift,
    "order": order,
}

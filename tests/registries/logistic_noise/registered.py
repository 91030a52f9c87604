"""Imported, it registers the mechanism: one line each for theory, the menu and the examples."""

from dpviz.analysis.claims.menu import ENTRIES, Control, MenuEntry
from dpviz.theory import MECHANISMS
from tests.registries.logistic_noise import LogisticMechanism, examples
from tests.theory import mechanisms

SCALE = Control(label="scale", help="scale of the noise", low=0.1, high=10, step=0.1, scale="log10")
ENTRY = MenuEntry(
    title="logistic noise",
    short="logistic",
    start=lambda s: {"scale": 1 / s.epsilon},
    parameters={"scale": SCALE},
)

MECHANISMS["logistic"] = LogisticMechanism
ENTRIES["logistic"] = ENTRY
mechanisms.__path__ += examples.__path__

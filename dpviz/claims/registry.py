"""The registry of readers of claims: a new one is a file in `readers` and a line below."""

from dpviz.claims.claim import Reader
from dpviz.claims.deployments import DEPLOYMENT
from dpviz.claims.readers.dp_events import DP_EVENTS
from dpviz.claims.readers.libraries import BUDGETS, OPACUS, OPENDP, PRIVACY_LOSS, PRV, TENSORFLOW
from dpviz.claims.readers.plain import NUMBERS, TEXT, WRITTEN

# The first that accepts a source reads it: any text that no reader above knows is the command's.
READERS: list[Reader] = [
    TENSORFLOW,
    TEXT,
    WRITTEN,
    DEPLOYMENT,
    NUMBERS,
    DP_EVENTS,
    OPACUS,
    OPENDP,
    PRV,
    BUDGETS,
    PRIVACY_LOSS,
]

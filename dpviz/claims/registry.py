"""The registry of readers of claims: a new one is a file in `readers` and a line below."""

from dpviz.claims.reader import Reader
from dpviz.claims.readers.budgets import BUDGETS
from dpviz.claims.readers.deployment import DEPLOYMENT
from dpviz.claims.readers.dp_events import DP_EVENTS
from dpviz.claims.readers.numbers import NUMBERS
from dpviz.claims.readers.opacus import OPACUS
from dpviz.claims.readers.opendp import OPENDP
from dpviz.claims.readers.privacy_loss import PRIVACY_LOSS
from dpviz.claims.readers.prv import PRV
from dpviz.claims.readers.tensorflow import TENSORFLOW
from dpviz.claims.readers.text import TEXT
from dpviz.claims.readers.written import WRITTEN

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

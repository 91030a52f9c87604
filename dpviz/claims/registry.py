"""The registry of claim readers; a new reader needs a file in `readers` and an entry here."""

from dpviz.claims.claim import ClaimReader
from dpviz.claims.deployments import DEPLOYMENT_READER
from dpviz.claims.readers import libraries
from dpviz.claims.readers.dp_events import EVENT_READER
from dpviz.claims.readers.plain import NUMBERS_READER, OWN_JSON_READER, TEXT_READER

# The first reader that accepts a source reads it; `TEXT_READER` accepts all other text.
READERS: list[ClaimReader] = [
    libraries.TENSORFLOW_READER,
    TEXT_READER,
    OWN_JSON_READER,
    DEPLOYMENT_READER,
    NUMBERS_READER,
    EVENT_READER,
    libraries.OPACUS_READER,
    libraries.OPENDP_READER,
    libraries.PRV_READER,
    libraries.BUDGET_READER,
    libraries.PROFILE_READER,
]

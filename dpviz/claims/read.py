"""The function `read_claim`, which reads a privacy guarantee from many kinds of sources."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim, adjacency_of_word
from dpviz.claims.registry import READERS
from dpviz.documents import parse_json, parse_yaml, read_text
from dpviz.theory import TradeoffFunction


def read_claim(source: Any, delta: float | None = None, *, adjacency: str | None = None) -> Claim:
    """Return the privacy claim in a source: numbers, text, a file or another library's object.

    Objects are recognised by their attributes: no library is imported, no code is unpickled or run.

    Parameters
    ----------
    source : object
        - ``(epsilon, delta)``, or epsilon alone (pure DP); a dict such as ``{"mu": 1.2}`` or
          ``{"noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 1000}``;
        - text as on the command line: ``"1.0,1e-5"``, ``"gdp:mu=1.2"``, ``"zcdp:rho=0.5"``,
          ``"dpsgd:sigma=1,sample_rate=0.01,steps=1000"``;
        - JSON that dpviz wrote: the state of an explorer, a report; as a dict, text or file;
        - dp-accounting: an event, a builder of events, an accountant, a privacy-loss distribution;
        - an Opacus accountant or ``PrivacyEngine``, riskcal's accountant;
        - an OpenDP measurement (of one record, or an answer that moves by 1) or privacy profile;
        - prv_accountant's accountant, with both ends of its interval;
        - a diffprivlib accountant, a tmlt budget, the text of a TensorFlow Privacy statement;
        - a YAML file of the OpenDP deployments registry;
        - a trade-off function, or a `Claim`.
    delta : float, optional, in [0, 1), if `source` is epsilon
    adjacency : {"replace_one", "add_remove"}, optional, for sources that do not state it

    Raises
    ------
    ValueError, if the source is not recognised or incomplete, or states another adjacency

    Notes
    -----
    Numbers such as (epsilon, delta) are read as replace-one, noise (a noise multiplier, an event, a
    privacy-loss distribution) as add/remove, as in the libraries that define it. `Claim` says which
    reading was assumed, and has the other one: `Claim.other_reading`.

    Examples
    --------
    >>> import dpviz
    >>> print(dpviz.read_claim((1.0, 1e-5), adjacency="replace_one"))
    ApproximateDP(epsilon=1.0, delta=1e-05)
    read from: a pair (epsilon, delta)
    adjacency: one record replaced
    """
    wanted = None if adjacency is None else adjacency_of_word(adjacency)
    claim = _claim_of_source("source", source if delta is None else (source, delta))
    if wanted is None:
        return claim
    guarantee = claim.guarantee
    if wanted != guarantee.adjacency:
        if claim.other_reading is None:
            rule = f"{guarantee.adjacency!r}, as the source states, or left out"
            raise checks.fail("adjacency", rule, adjacency)
        guarantee = claim.other_reading
    upper = claim.upper and claim.upper.with_parameters(adjacency=wanted)
    return replace(claim, guarantee=guarantee, upper=upper, states_adjacency=True)


def read_guarantee(name: str, value: object) -> TradeoffFunction:
    """Return the guarantee that `read_claim` reads from `value`."""
    return value if isinstance(value, TradeoffFunction) else _claim_of_source(name, value).guarantee


def _claim_of_source(name: str, source: object) -> Claim:
    with checks.naming_foreign_errors(name, source):
        if isinstance(source, Claim):
            return source
        if isinstance(source, TradeoffFunction):
            return Claim(guarantee=source, source="a trade-off function", states_adjacency=True)
        content = _parsed_if_file_or_json(source)
        reader = next((each for each in READERS if each.accepts(content)), None)
        if reader is None:
            rule = 'a claim, such as 1.0, (1.0, 1e-5), "gdp:mu=1" or an accountant'
            raise checks.fail(name, rule, source, "help(dpviz.read_claim) lists all sources")
        try:
            return reader.read(content)
        except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
            # The source looks right, but an attribute is missing or of another type.
            rule = f"{reader.name} that dpviz can read ({checks.reason(error)})"
            raise checks.fail(name, rule, source) from error


# Files that hold a claim: JSON, YAML and text.


def _parsed_if_file_or_json(source: object) -> Any:
    """Parse JSON text, or read a JSON, YAML or text file; return any other source unchanged."""
    # A text that begins with a brace is JSON, not the name of a file.
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return parse_json("claim", source)
    if not isinstance(source, str | os.PathLike):
        return source
    path = Path(source)
    if path.suffix not in FORMATS:
        if isinstance(source, str):  # the claim itself
            return source
        raise checks.fail("the suffix of a claim's file", f"one of {', '.join(FORMATS)}", path)
    try:
        return FORMATS[path.suffix]("claim", read_text("claim", path))
    except OSError as error:  # the source may be a text from a field
        raise checks.fail("claim", "a file that can be read", str(path)) from error


FORMATS: dict[str, Callable[[str, str], Any]] = {
    ".json": parse_json,
    ".txt": lambda _, text: text,
    ".yaml": parse_yaml,
    ".yml": parse_yaml,
}

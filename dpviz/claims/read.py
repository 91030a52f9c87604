"""`read_claim`: privacy guarantees from numbers, text, files and objects of other libraries."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.guarantee_state import parse_json
from dpviz.claims.registry import READERS
from dpviz.theory import TradeoffFunction
from dpviz.theory.tradeoff import checked_adjacency


def read_claim(source: Any, *, adjacency: str | None = None) -> Claim:
    """Read a privacy guarantee from numbers, text, a file or an object of another tool.

    Objects are recognised by their attributes: no library is imported, no code is unpickled or run.

    Parameters
    ----------
    source : object
        - ``(epsilon, delta)``, or a dict such as ``{"mu": 1.2}``;
        - text as on the command line: ``"1.0,1e-5"``, ``"gaussian_dp:mu=1.2"``;
        - JSON that dpviz wrote: the state of an explorer, a report; as a dict, text or file;
        - dp-accounting: an event, an accountant, a privacy-loss distribution;
        - an Opacus accountant or ``PrivacyEngine``, riskcal's accountant;
        - an OpenDP measurement (of one record, or an answer that moves by 1) or privacy profile;
        - prv_accountant's accountant, with both ends of its interval;
        - a diffprivlib accountant, a tmlt budget, the text of a TensorFlow Privacy statement;
        - a YAML file of the OpenDP deployments registry;
        - a trade-off function, or a `Claim`.
    adjacency : {"replace_one", "add_remove"}, optional, for sources that do not state it

    Returns
    -------
    Claim, its `guarantee` is a trade-off function

    Raises
    ------
    ValueError
        If the source is not recognised or incomplete, or states another adjacency.

    Examples
    --------
    >>> import dpviz
    >>> print(dpviz.read_claim((1.0, 1e-5), adjacency="replace_one"))
    ApproximateDP(epsilon=1.0, delta=1e-05)
    read from: a pair (epsilon, delta)
    adjacency: one record replaced
    """
    if adjacency is not None:
        checked_adjacency(adjacency)
    claim = _claim_of_source("source", source)
    if adjacency is None:
        return claim
    if claim.states_adjacency and adjacency != claim.guarantee.adjacency:
        stated = claim.guarantee.adjacency
        raise checks.fail("adjacency", f"{stated!r}, as the source states, or left out", adjacency)
    upper = claim.upper and claim.upper.with_parameters(adjacency=adjacency)
    read_anew = claim.replaced if adjacency == "replace_one" else None
    guarantee = read_anew or claim.guarantee.with_parameters(adjacency=adjacency)
    return replace(claim, guarantee=guarantee, upper=upper, states_adjacency=True)


def read_guarantee(name: str, value: object) -> TradeoffFunction:
    """Return the guarantee that `read_claim` reads from `value`; messages call the value `name`."""
    return value if isinstance(value, TradeoffFunction) else _claim_of_source(name, value).guarantee


def _claim_of_source(name: str, source: object) -> Claim:
    if isinstance(source, Claim):
        return source
    if isinstance(source, TradeoffFunction):
        return Claim(guarantee=source, source="a trade-off function", states_adjacency=True)
    content = _parsed_if_file_or_json(source)
    for reader in READERS:
        if reader.accepts(content):
            try:
                return reader.read(content)
            except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
                # The source looks right, but an attribute is missing or of another type.
                rule = f"{reader.name} with its parts ({checks.reason(error)})"
                raise checks.fail(name, rule, source) from error
    known = "; ".join(reader.name for reader in READERS)
    rule = f"a trade-off function such as dpviz.theory.PureDP, or one of: {known}"
    raise checks.fail(name, rule, source)


# Files that hold a claim: JSON, YAML and text.

MOST_FILE_BYTES = 10_000_000  # of a file; statements of privacy are short


def _parsed_if_file_or_json(source: object) -> Any:
    """Parse JSON text, or read a JSON, YAML or text file; return any other source unchanged."""
    # A text that begins with a brace is JSON, not the name of a file.
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return parse_json("claim", source)
    if not isinstance(source, str | os.PathLike):
        return source
    path = Path(source)
    # A text without the suffix of a file is a claim itself.
    if path.suffix not in FORMATS and isinstance(source, str):
        return source
    if path.suffix not in FORMATS:
        raise checks.fail("the suffix of a claim's file", f"one of {', '.join(FORMATS)}", path)
    if not path.is_file():
        raise checks.fail("claim", "a file that exists", str(path))
    if path.stat().st_size > MOST_FILE_BYTES:
        raise checks.fail("a claim's file", f"at most {MOST_FILE_BYTES} bytes", path.stat().st_size)
    return FORMATS[path.suffix](path.read_text("utf-8"))


def _parse_yaml(text: str) -> Any:
    try:
        import yaml  # optional
    except ImportError as error:
        raise ImportError("YAML files need PyYAML: pip install 'dpviz[yaml]'") from error
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        rule = "YAML without tags of objects"
        raise ValueError(f"claim must be {rule}: {checks.reason(error)}") from error


FORMATS: dict[str, Callable[[str], Any]] = {
    ".json": partial(parse_json, "claim"),
    ".txt": str,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
}

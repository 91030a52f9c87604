"""Receipts: a protocol that is fixed before the scores exist, to be compared with the audit."""

import json
from dataclasses import dataclass, fields
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.spec import Spec
from dpviz.analysis.topics.claim import short_name
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.result import AppliesTo, checked_applies_to, default_method
from dpviz.audit.evidence.plan import WHOLE_CURVE
from dpviz.audit.scores.base import Sampling
from dpviz.claims.guarantee_state import guarantee_from_dict, guarantee_to_dict
from dpviz.documents import checked_dict, cut_for_error, parse_json, read_text
from dpviz.number_format import percent, short
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.tradeoff import Adjacency
from dpviz.value_object import ValueObject

DEFAULT_DELTA = Spec().delta
SCHEMA = "dpviz/receipt/1"
LONGEST_TEXT = 500  # characters
METHODS = (*BOUNDS, WHOLE_CURVE)
SHOWN_DIGITS = 12  # of a hash in a sentence


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Receipt(ValueObject):
    """A protocol that was fixed before the scores existed.

    A hash reveals any later change. A receipt has no date: to prove that it came first, give its
    hash to others beforehand.

    Parameters
    ----------
    claim : TradeoffFunction, or what `read_claim` takes; the guarantee that will be tested
    attack : str, the attack in words, at most 500 characters
    n_members, n_nonmembers : int, the planned numbers of records
    method : str, optional
        A key of `dpviz.audit.bounds.BOUNDS`, or "curve"; left out: the default for such a claim.
    delta : float, optional, of the lower bound; left out: that of the claim, or else 1e-5
    confidence_level : float
    applies_to : {"instance", "mechanism"}, optional
    sampling : {"independent_trainings", "fair_coins", "fixed_split"}, required for a mechanism
    neighbours : {"add_remove", "replace_one"}, optional
    dpviz_version : str, optional; left out: this one

    Examples
    --------
    >>> from dpviz.reports.receipt import Receipt
    >>> from dpviz.theory import PureDP
    >>> receipt = Receipt(claim=PureDP(epsilon=1), attack="LiRA", n_members=500, n_nonmembers=500)
    >>> receipt.method, Receipt.of(receipt.text()) == receipt
    ('rank_exact', True)
    """

    claim: TradeoffFunction
    attack: str
    n_members: int
    n_nonmembers: int
    method: str = ""
    delta: float | None = None
    confidence_level: float = 0.95
    applies_to: AppliesTo | None = None
    sampling: Sampling | None = None
    neighbours: Adjacency | None = None
    dpviz_version: str = ""

    def __post_init__(self) -> None:
        names = ("claim", "confidence_level", "sampling", "neighbours")
        delta = DEFAULT_DELTA if self.delta is None else self.delta
        whose = checked_applies_to(self.applies_to, self.sampling)
        spec = Spec(delta=delta, applies_to=whose, **{name: getattr(self, name) for name in names})
        if self.delta not in (None, spec.delta):
            raise checks.fail("delta", f"{spec.delta:g}, as in the claim", self.delta)
        # A claim with epsilon and delta is tested by the bound, others by their whole curve.
        usual = (
            default_method(self.sampling) if isinstance(spec.claim, ApproximateDP) else WHOLE_CURVE
        )
        legal = {
            "claim": spec.claim,
            "attack": _checked_text("attack", self.attack),
            "n_members": checks.whole("n_members", self.n_members, 1),
            "n_nonmembers": checks.whole("n_nonmembers", self.n_nonmembers, 1),
            "method": checks.choice("method", self.method or usual, METHODS),
            "delta": spec.delta,
            "confidence_level": spec.confidence_level,
            "applies_to": whose,
            "dpviz_version": _checked_text("dpviz_version", self.dpviz_version or version("dpviz")),
        }
        for field, value in legal.items():
            object.__setattr__(self, field, value)

    @property
    def protocol(self) -> dict[str, Any]:
        """The fields of the receipt as a JSON object, whose hash is `sha256`."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"schema": SCHEMA} | plain | {"claim": guarantee_to_dict(self.claim, "claim")}

    @property
    def sha256(self) -> str:
        """The SHA-256 hash of the protocol.

        The hash is that of the canonical JSON: sorted keys, no blanks, UTF-8.
        """
        plain: dict[str, Any] = {"ensure_ascii": False, "allow_nan": False}
        canonical = json.dumps(self.protocol, sort_keys=True, separators=(",", ":"), **plain)
        return sha256(canonical.encode()).hexdigest()

    def text(self) -> str:
        """Return the receipt as JSON text.

        Equal receipts have equal texts.
        """
        content = {"protocol": self.protocol, "sha256": self.sha256}
        return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"

    @classmethod
    def of(cls, text: str) -> Self:
        """Return a receipt from its JSON text.

        Raises ValueError if the text was changed.
        """
        read = checked_dict("receipt", parse_json("receipt", text), ("protocol", "sha256"))
        # The version first: another one may have other fields.
        if isinstance(read["protocol"], dict):
            checks.check_version("receipt.protocol.schema", read["protocol"].get("schema"), SCHEMA)
        names = ("schema", *(field.name for field in fields(cls)))
        given = dict(checked_dict("receipt.protocol", read["protocol"], names))
        del given["schema"]
        try:
            given["claim"] = guarantee_from_dict(given["claim"], "claim")
            receipt = cls(**given)
        except RecursionError:
            raise checks.fail("receipt.protocol.claim", "less nested", given["claim"]) from None
        except ValueError as error:
            raise ValueError(f"receipt.protocol.{error}") from error
        # Each field must be written as this receipt writes it.
        for name, value in receipt.protocol.items():
            if (given_value := read["protocol"][name]) != value:
                raise checks.fail(
                    f"receipt.protocol.{name}", repr(value), cut_for_error(given_value)
                )
        if read["sha256"] != receipt.sha256:
            condition = f"{receipt.sha256}, the hash of the protocol that the receipt contains"
            raise checks.fail("receipt.sha256", condition, cut_for_error(read["sha256"]))
        return receipt

    def compared(self, result: Result) -> "Comparison":
        """Return the differences between an audit and the receipt.

        Raises ValueError if `result` has no scores.
        """
        if result.sample is None:
            raise ValueError("result must have scores to be compared with a receipt, got none")
        spec, at, test = result.spec, result.sample.at_fpr, result.sample.audit.test
        method = "none" if test is None else test.bound.method if test.bound else WHOLE_CURVE
        # The attack is not compared: nobody can check it here.
        sizes = {"n_members": at.n_members, "n_nonmembers": at.n_nonmembers}
        chosen = ("confidence_level", "applies_to", "sampling", "neighbours")
        done = {
            "claim": spec.claim,
            **sizes,
            **{"method": method, "delta": result.claim.delta},
            **{name: getattr(spec, name) for name in chosen},
            "dpviz_version": version("dpviz"),
        }
        differences = tuple(
            Difference(field=name, planned=_shown_value(name, plan), done=_shown_value(name, value))
            for name, value in done.items()
            if (plan := getattr(self, name)) != value
        )
        return Comparison(receipt=self, differences=differences)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A field in which an audit differs from its receipt, with the two values as text."""

    field: str
    planned: str
    done: str

    def __str__(self) -> str:
        return f"{LABELS[self.field]} {self.done} (planned: {self.planned})"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A receipt, and the fields in which an audit differs from it."""

    receipt: Receipt
    differences: tuple[Difference, ...]

    @property
    def sentence(self) -> str:
        """Sentences on how the audit differs from the plan, and on what a receipt cannot show."""
        called = f"the receipt {self.receipt.sha256[:SHOWN_DIGITS]}"
        unchecked = (
            f"Planned attack: “{self.receipt.attack}”. dpviz cannot check that this attack was "
            "used, or when the receipt was written."
        )
        if not self.differences:
            return f"The audit was done as planned in {called}. {unchecked}"
        listed = "; ".join(map(str, self.differences))
        return f"The audit differs from {called}: {listed}. {unchecked}"


LABELS = {
    **{name: name for name in ("claim", "method", "sampling", "neighbours")},
    "confidence_level": "confidence level",
    **{"n_members": "number of members", "n_nonmembers": "number of non-members", "delta": "δ"},
    **{"applies_to": "subject", "dpviz_version": "version of dpviz"},
}


def read_receipt(path: str | Path) -> Receipt:
    """Return the receipt in a file.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    OSError, if the file cannot be read
    ValueError, if it is no receipt, or was changed; the message names where

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dpviz.reports.receipt import Receipt, read_receipt
    >>> from dpviz.theory import PureDP
    >>> receipt = Receipt(claim=PureDP(epsilon=1), attack="LiRA", n_members=500, n_nonmembers=500)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "plan.json")
    ...     _ = path.write_text(receipt.text(), "utf-8")
    ...     read_receipt(path) == receipt
    True
    """
    return Receipt.of(read_text("receipt", path))


def _checked_text(name: str, given: object) -> str:
    if not isinstance(given, str) or not given.strip() or len(given) > LONGEST_TEXT:
        raise checks.fail(name, f"a text of 1 to {LONGEST_TEXT} characters", cut_for_error(given))
    if not given.isprintable():
        raise checks.fail(name, "text on one line without control characters", cut_for_error(given))
    return given


def _shown_value(name: str, value: Any) -> str:
    if isinstance(value, TradeoffFunction):
        return f"{short_name(value)}, {value.adjacency}"
    if name == "confidence_level":
        return percent(value)
    if name == "neighbours" and value is None:
        return "not stated"
    return short(value, digits=6) if isinstance(value, float) else str(value)

"""The abstract class of attack scores, and its sorted samples, labels and texts.

The parts: order statistics of one class (`OrderedSample`), labels of records, the area under the
ROC curve of a sample (Mann-Whitney statistic), and the text that ``print(scores)`` shows.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.profile import first_whole_numbers_where
from dpviz.theory.tradeoff import Floats
from dpviz.value_object import ValueObject

Sampling = Literal["independent_trainings", "fair_coins", "fixed_split"]
Counts = NDArray[np.int64]
LARGEST_COUNT = int(np.iinfo(np.int64).max)
Labels = NDArray[Any]  # text, as objects since lengths may differ much, or a text array
Rows = NDArray[np.intp]
ScoreKind = Literal["loss", "score"]
SCORE_KINDS = ("loss", "score")
LARGEST_SCORE = 1e300  # beyond it, differences between two scores would overflow
MOST_SAMPLED = 10**9  # number of records from which on NumPy cannot sample from them
IMBALANCE = 10  # ratio of class sizes beyond which it is worth a warning
RECORDS_SEARCHED_FOR_TIES = 2**13  # of a class; sorting many takes longer than reading
BEYOND_DOUBT = 5  # standard errors by which an AUC is surely above 1/2


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """For reports only: the source of scores, and how the source was read."""

    source: str  # what messages call it: a file's name, "the data frame"
    loader: str  # the format that read it
    understood: str  # which columns or keys became scores and membership
    n_rows: int  # records found, dropped ones included
    n_dropped: int = 0  # records with a missing value that were left out
    dropped: str = ""  # why records were left out, and where the first one stood
    path: str | None = None  # absolute, of a file
    sha256: str | None = None  # of a file's bytes, hexadecimal
    unread: tuple[str, ...] = ()  # columns of the table that were not read
    receipt: str | None = None  # of the plan of canaries, published before the training


class OrderedSample:
    """A sample of scores in ascending order: distinct values, and how many records have each."""

    values: FloatArray  # ascending; in a SortedSample they may repeat
    size: int  # number of records

    def __init__(self, values: FloatArray, counts: Counts) -> None:
        self.values = values
        self._cumulative = np.concatenate([[0], np.cumsum(counts)])
        self.size = int(self._cumulative[-1])

    @classmethod
    def without_zero_counts(cls, values: FloatArray, counts: Counts) -> "OrderedSample":
        """Make a sample of those `values` whose count is not 0."""
        some = counts > 0
        return cls(values[some], counts[some])

    @property
    def counts(self) -> Counts:
        """For each of `values`, the number of records that have this score."""
        return np.diff(self._cumulative)

    @property
    def finite_scores(self) -> FloatArray:
        """The distinct scores that are finite."""
        low, high = np.searchsorted(self.values, [np.nextafter(-np.inf, 0), np.inf])
        return self.values[low:high]

    @property
    def smallest(self) -> float:
        """The smallest score."""
        return float(self.values[0])

    @property
    def largest(self) -> float:
        """The largest score."""
        return float(self.values[-1])

    @cached_property
    def mean_and_sd(self) -> tuple[float, float]:
        """Mean and standard deviation (ddof = 0) of the scores."""
        shares = self.counts / self.size
        mean = float(shares @ self.values)
        return mean, float(np.sqrt(shares @ (self.values - mean) ** 2))

    def count_below(self, thresholds: ArrayLike) -> Counts:
        """Return, for each of the `thresholds`, the number of scores below it."""
        return np.asarray(self._cumulative[np.searchsorted(self.values, thresholds, side="left")])

    def count_at_most(self, thresholds: ArrayLike) -> Counts:
        """Return, for each of the `thresholds`, the number of scores at or below it."""
        return np.asarray(self._cumulative[np.searchsorted(self.values, thresholds, side="right")])

    def count_at_least(self, thresholds: ArrayLike) -> Counts:
        """Return, for each of the `thresholds`, the number of scores at or above it."""
        return self.size - self.count_below(thresholds)

    def at_ranks(self, ranks: ArrayLike) -> FloatArray:
        """Return the order statistics: the scores with these ranks, which are counted from 0."""
        return np.asarray(self.values[np.searchsorted(self._cumulative, ranks, side="right") - 1])

    def sum_over_records(self, values: NDArray[Any]) -> Any:
        """Return the sum of f(score) over all records, where `values[i]` is f(self.values[i])."""
        # Python integers, for sums that int64 cannot hold.
        if values.dtype.kind in "iu" and self.size * int(np.abs(values).max()) > LARGEST_COUNT:
            return np.dot(self.counts.astype(object), values.astype(object))
        return (self.counts @ values).item()

    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "OrderedSample":
        """Return the sample after the nondecreasing function `rising` is applied to each score."""
        return OrderedSample(rising(self.values), self.counts)

    def negated(self) -> "OrderedSample":
        """Return the sample with all signs changed, in ascending order again."""
        return OrderedSample(-self.values[::-1], self.counts[::-1])

    def without_ranks(self, ranks: Counts) -> "OrderedSample":
        """Return the sample without the records at these (distinct) ranks."""
        place = np.searchsorted(self._cumulative, ranks, side="right") - 1
        left = self.counts - np.bincount(place, minlength=self.values.size)
        return OrderedSample.without_zero_counts(self.values, left)

    def bootstrap_counts(self, rng: np.random.Generator) -> Counts:
        """Draw a bootstrap sample of `size` records; return how often each of `values` is drawn."""
        return rng.multinomial(self.size, self.counts / self.size)


class SortedSample(OrderedSample):
    """A sample that is stored record by record: all counts are 1, which makes methods faster."""

    def __init__(self, ascending: FloatArray) -> None:
        self.values = ascending
        self.size = ascending.size

    @property
    def counts(self) -> Counts:
        return np.broadcast_to(np.int64(1), self.size)

    def count_below(self, thresholds: ArrayLike) -> Counts:
        return np.asarray(np.searchsorted(self.values, thresholds, side="left"), np.int64)

    def count_at_most(self, thresholds: ArrayLike) -> Counts:
        return np.asarray(np.searchsorted(self.values, thresholds, side="right"), np.int64)

    def at_ranks(self, ranks: ArrayLike) -> FloatArray:
        return np.asarray(self.values[np.asarray(ranks)])

    def sum_over_records(self, values: NDArray[Any]) -> Any:
        return values.sum().item()

    def mapped(self, rising: Callable[[FloatArray], FloatArray]) -> "SortedSample":
        return SortedSample(checks.read_only(rising(self.values)))

    def negated(self) -> "SortedSample":
        return SortedSample(-self.values[::-1])

    def without_ranks(self, ranks: Counts) -> "SortedSample":
        left = np.ones(self.size, np.bool)
        left[ranks] = False
        return SortedSample(self.values[left])

    def bootstrap_counts(self, rng: np.random.Generator) -> Counts:
        ranks = rng.integers(self.size, size=self.size).astype(np.intp, copy=False)
        return np.asarray(np.bincount(ranks, minlength=self.size), np.int64)

    @cached_property
    def mean_and_sd(self) -> tuple[float, float]:
        return float(self.values.mean()), float(self.values.std())


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scores(ValueObject, ABC):
    """The scores of members and of non-members; **high scores suggest members**."""

    kind: ScoreKind = "score"  # what was given: losses are shown as losses, with another sign
    provenance: Provenance | None = None
    n_copies: int = 0  # records that were left out because they are copies of others
    sampling: Sampling | None = None  # how membership was drawn, if it was drawn
    remarks: tuple[str, ...] = ()  # that each bound from these scores must carry as warnings
    is_binned: ClassVar[bool]  # whether records were counted in cells

    @property
    @abstractmethod
    def members(self) -> OrderedSample:
        """The members' scores in ascending order."""

    @property
    @abstractmethod
    def nonmembers(self) -> OrderedSample:
        """The non-members' scores in ascending order."""

    @property
    def n_members(self) -> int:
        """Number of member records."""
        return self.members.size

    @property
    def n_nonmembers(self) -> int:
        """Number of non-member records."""
        return self.nonmembers.size

    def shown_fields(self) -> dict[str, Any]:
        """Return the fields that `repr` and `to_dict` show, with class sizes in place of scores."""
        sizes = {"n_members": self.n_members, "n_nonmembers": self.n_nonmembers}
        return {**sizes, "kind": self.kind}

    @property
    def groups(self) -> tuple[str, ...]:
        """The distinct labels, "canary 2" before "canary 10"; empty if records have no labels."""
        return ()

    @property
    def may_be_rounded(self) -> NDArray[np.bool_]:
        """For each distinct score, whether higher scores may have been rounded down to it."""
        return np.zeros(self.n_distinct, np.bool_)

    @property
    def is_rounded(self) -> bool:
        """Whether some scores may have been rounded down to thresholds when they were counted."""
        return self.is_binned and bool(self.may_be_rounded.any())

    @property
    def n_infinite(self) -> int:
        """Number of records with an infinite score, which has a rank but no place on an axis."""
        classes = (self.members, self.nonmembers)
        return sum(int(x.count_at_most(-np.inf) + x.count_at_least(np.inf)) for x in classes)

    @abstractmethod
    def count_at_least(self, threshold: float) -> tuple[int, int]:
        """Return the numbers of members and of non-members with ``score >= threshold``."""

    def at_pooled_ranks(self, ranks: Counts) -> FloatArray:
        """Return order statistics of members and non-members together; the lowest has rank 0."""
        members, nonmembers = self.members, self.nonmembers
        n, m = members.size, nonmembers.size

        def is_enough(first: Counts) -> NDArray[np.bool_]:
            member = members.at_ranks(np.minimum(first, n - 1))
            return member >= nonmembers.at_ranks(np.clip(ranks - first - 1, 0, m - 1))

        # The number of members among as many lowest scores as the rank says.
        fewest, most = np.maximum(ranks - m, 0), np.minimum(ranks, n)
        low = first_whole_numbers_where(is_enough, fewest - 1, most)
        member = np.where(low < n, members.at_ranks(np.minimum(low, n - 1)), np.inf)
        rest = ranks - low
        nonmember = np.where(rest < m, nonmembers.at_ranks(np.minimum(rest, m - 1)), np.inf)
        return np.minimum(member, nonmember)

    @abstractmethod
    def distinct_scores(self) -> FloatArray:
        """Return the distinct scores of members and non-members, ascending."""

    @cached_property
    def n_distinct(self) -> int:
        """The number of distinct scores."""
        return int(self.distinct_scores().size)

    @abstractmethod
    def samples_for_fits(self) -> tuple[OrderedSample, OrderedSample]:
        """Return scores for fitting each class's distribution (cell means if scores are binned)."""

    @abstractmethod
    def reversed(self) -> Self:
        """Return the scores of the reversed attack: it flags records in the opposite order."""

    def swapped(self) -> Self:
        """Return the scores with members and non-members exchanged."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.init}
        names = [(name, f"non{name}") for name in values if name.startswith("member")]
        return self.replaced(**{a: values[b] for pair in names for a, b in (pair, pair[::-1])})

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other values of some fields."""
        return replace(self.shown_as("score"), **changes).shown_as(self.kind)

    def shown_as(self, kind: ScoreKind) -> Self:
        """Return the same scores, shown in texts and pictures on the original scale of `kind`."""
        scores = copy(self)
        vars(scores)["kind"] = kind
        return scores

    @abstractmethod
    def thinned(self, most: int) -> Self:
        """Return the scores of evenly spaced records, at most `most` per class (all if binned)."""

    @abstractmethod
    def label_permuter(self, rng: np.random.Generator) -> Callable[[], Self]:
        """Return a function that, at each call, permutes the labels anew and returns the scores."""

    @abstractmethod
    def bootstrap_sample(self, rng: np.random.Generator) -> Self:
        """Draw members and non-members with replacement, as many of each as there are."""

    def __str__(self) -> str:
        return "\n".join(source_sizes_and_warnings(self))


def reject_too_many_records(scores: Scores, purpose: str) -> None:
    """Raise ValueError, naming the `purpose`, if there are more records than NumPy can sample."""
    total = scores.n_members + scores.n_nonmembers
    if total >= MOST_SAMPLED:
        raise ValueError(f"scores must be fewer than {MOST_SAMPLED} for {purpose}, got {total}")


def negated_if_loss(scores: Floats, kind: ScoreKind) -> Floats:
    """Convert scores to their original scale, or back: change the sign if `kind` is "loss"."""
    return -scores if kind == "loss" else scores


def doubled_placements(values: FloatArray, others: OrderedSample) -> Counts:
    """Return 2 (number of lower `others`) + (number of equal `others`) for each of `values`."""
    return others.count_below(values) + others.count_at_most(values)


def sample_auc(scores: Scores) -> float:
    """Return the area under the ROC curve of scores; ties count one half."""
    return auc_from_placements(scores, doubled_placements(scores.members.values, scores.nonmembers))


def auc_from_placements(scores: Scores, member_placements: Counts) -> float:
    """Return the area under the ROC curve from `doubled_placements` of all members."""
    pairs = scores.n_members * scores.n_nonmembers
    return int(scores.members.sum_over_records(member_placements)) / (2 * pairs)


def largest_auc_standard_error(true_auc: float, scores: Scores) -> float:
    """Return Birnbaum's (1956) upper bound on the standard error of an AUC, given the true AUC."""
    return float(np.sqrt(true_auc * (1 - true_auc) / min(scores.n_members, scores.n_nonmembers)))


def source_sizes_and_warnings(scores: Scores) -> tuple[str, str, str]:
    """Return three lines: the source and how it was read, the class sizes, and data warnings."""
    read = scores.provenance
    source = f"{read.source} ({read.loader}): {read.understood}" if read else "given as arrays"
    dropped = (read.dropped if read else "") or "no row dropped"
    return source, _classes_in_words(scores), "; ".join([dropped, *data_warnings(scores)])


def _classes_in_words(scores: Scores) -> str:
    """Return class sizes, the direction of scores and, if binned, the number of thresholds."""
    direction = "low = member (losses)" if scores.kind == "loss" else "high = member (scores)"
    text = f"{direction}: {scores.n_members} members, {scores.n_nonmembers} non-members"
    if not scores.is_binned:
        return text
    n = scores.n_distinct
    if scores.is_rounded:
        return f"{text}; rounded down to {n} thresholds of a float32 grid, at which rates are exact"
    return f"{text}; counted at {n} thresholds, none rounded"


def data_warnings(scores: Scores, *, least_tied_share: float = 0.0) -> tuple[str, ...]:
    """Return warnings about the data, such as ties if their share is >= `least_tied_share`."""
    remarks = list(scores.remarks)
    n, m = scores.n_members, scores.n_nonmembers
    if n_infinite := scores.n_infinite:
        unit = "losses" if scores.kind == "loss" else "scores"
        remarks.append(f"{n_infinite} of {n + m} {unit} are infinite: tied at the ends")
    if max(n, m) > IMBALANCE * min(n, m):
        remarks.append(f"the classes differ much in size: {n} members, {m} non-members")
    distinct = scores.n_distinct
    if scores.n_copies:
        remarks.append(f"{copies_phrase(scores)} and were left out")
    if scores.is_rounded:
        remarks.append(f"rounding each score down to one of {distinct} thresholds makes ties")
    elif distinct < n + m and n + m - distinct >= least_tied_share * (n + m):
        remarks.append(f"{n + m - distinct} of {n + m} scores repeat an earlier score")
    direction = warning_if_reversed(scores)
    return (*remarks, direction) if direction else tuple(remarks)


def copies_phrase(scores: Scores) -> str:
    """Return the number of copies among the given records as text: "720 of 800 are copies"."""
    given = scores.n_members + scores.n_nonmembers + scores.n_copies
    return f"{scores.n_copies} of {given} records are copies of others"


def warning_if_reversed(scores: Scores) -> str:
    """Return a warning if the AUC is below 1/2 by more than chance, else an empty text."""
    # If a part of many records is clearly not reversed, do not sort all of them.
    part = scores.thinned(RECORDS_SEARCHED_FOR_TIES)
    area = sample_auc(part)
    if part is not scores and area - BEYOND_DOUBT * largest_auc_standard_error(area, part) > 0.5:
        return ""
    area = area if part is scores else sample_auc(scores)
    # The error at an AUC of 1/2, since the error at the measured AUC may be 0.
    if area + 2 * largest_auc_standard_error(0.5, scores) >= 0.5:
        return ""
    is_loss = scores.kind == "loss"
    unit, end, other = ("losses", "high", "score") if is_loss else ("scores", "low", "loss")
    return (
        f"the {unit} look reversed: AUC {area:.3f}; if a {end} number means member, read them with "
        f"kind={other!r}; if members and non-members are swapped, swap them back"
    )


def checked_labels(name: str, values: ArrayLike) -> Labels:
    """Return labels as text; ValueError if a label is empty, missing or fractional."""
    checks.reject_masked(name, values)
    # As objects: an array of text and missing values would become text.
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.ndim != 1:
        raise checks.fail(name, "one-dimensional, of shape (n,)", array.shape)
    if array.dtype.kind in "mM":  # would become counts of nanoseconds
        raise checks.fail(name, "text or whole numbers", str(array.dtype))
    is_text = array.dtype.kind == "U"
    text = array.copy() if is_text else np.array(_label_texts(name, array.tolist()), dtype=object)
    if (text == "").any():
        raise checks.fail(name, "labels of at least one character", "")
    return checks.read_only(text)


def checked_labels_of_scores(name: str, labels: ArrayLike, values: FloatArray) -> Labels:
    """Return checked labels; ValueError unless there are as many labels as scores `values`."""
    checked = checked_labels(name, labels)
    if checked.size != values.size:
        raise checks.fail(name, f"{values.size} labels, one per score", checked.size)
    return checked


def _label_texts(name: str, entries: list[object]) -> list[str]:
    """Return labels as text; ValueError for a label that is neither text nor a whole number."""
    kinds = set(map(type, entries))
    if kinds <= {str}:
        return cast(list[str], entries)
    if kinds in ({int}, {bool}):  # few are distinct
        texts = {entry: str(entry) for entry in set(entries)}
        return [texts[entry] for entry in entries]
    return [_label_text(name, entry) for entry in entries]


def _label_text(name: str, entry: object) -> str:
    if isinstance(entry, str):
        return str(entry)
    if isinstance(entry, bool | np.bool):
        return str(bool(entry))
    whole = isinstance(entry, float | np.floating) and float(entry).is_integer()
    if whole or isinstance(entry, int | np.integer):
        return str(int(entry))  # type: ignore[call-overload]
    raise checks.fail(name, "text or whole numbers, none missing", entry)


def natural_sort_key(label: str) -> tuple[object, ...]:
    """Return a sorting key by which "canary 2" is before "canary 10"."""
    # Digits count as numbers: by their length without leading zeros, then as text.
    parts: list[object] = re.split(r"([0-9]+)", label)
    for i, digits in enumerate(map(str, parts[1::2])):  # int() rejects very long ones
        number = digits.lstrip("0")
        parts[2 * i + 1] = (len(number), number)
    return (*parts, label)


def factorise(labels: Labels) -> tuple[list[str], Rows]:
    """Return the distinct labels in order of appearance, and the index of each record's label."""
    entries = labels.tolist()
    places = {label: place for place, label in enumerate(dict.fromkeys(entries))}
    codes = np.fromiter(map(places.__getitem__, entries), np.intp, len(entries))
    return list(places), codes


def check_and_factorise(name: str, labels: ArrayLike, values: FloatArray) -> tuple[list[str], Rows]:
    """Return distinct labels and each record's index into them; ValueError if a record has none."""
    checks.reject_masked(name, labels)
    is_whole = isinstance(labels, np.ndarray) and labels.dtype.kind in "iu"
    if not is_whole or np.shape(labels) != values.shape:
        return factorise(checked_labels_of_scores(name, labels, values))
    ascending, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(order.size)
    return [str(label) for label in ascending[order].tolist()], places[codes]


def rows_by_label(labels: Labels) -> dict[str, Rows]:
    """Return the positions of the records of each label, from one label per record."""
    names, codes = factorise(labels)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(1, len(names)))
    return dict(zip(names, np.split(order, starts), strict=True))

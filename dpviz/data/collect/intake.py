"""Records on their way to scores: kept while they fit in memory, counted where they do not."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from dpviz.audit.binned_scores import Scores
from dpviz.audit.provenance import Provenance
from dpviz.audit.scores import ScoreKind
from dpviz.data.bins import Bins
from dpviz.data.formats.format import ReadError, ReadOptions
from dpviz.data.formats.gathered import Gathered
from dpviz.data.formats.progress import bar
from dpviz.data.formats.records import Records
from dpviz.data.refine import refined


class Intake:
    """What grows into exact values, or into exact counts if these would take too much memory.

    Parameters
    ----------
    kind : {"loss", "score"}
        Unit of the numbers.
    needed : int
        Bytes that values would take, roughly; 0 for what is in memory already, and stays there.
    options : ReadOptions
        Of which `memory` and `progress` are looked at.
    where : str
        What messages call the source.
    """

    def __init__(self, kind: ScoreKind, needed: int, options: ReadOptions, where: str) -> None:
        self.memory = options.memory
        is_large = needed > self.memory
        self.progress = options.progress or (bar if is_large else iter)
        self._sink: Bins | Gathered = Bins(kind) if is_large else Gathered(kind)
        self._may_grow = needed > 0
        self._where = where

    def add(self, records: Records) -> None:
        """Take some more.

        Raises
        ------
        ReadError
            If a number is too large to be counted.
        """
        sink = self._sink
        with self._named():
            sink.add(records)
            # What is compressed may hold a thousand times as much as its size says.
            if self._may_grow and isinstance(sink, Gathered) and sink.memory > self.memory:
                self._sink = sink.counted()

    @property
    def is_counting(self) -> bool:
        """Whether single records are gone."""
        return isinstance(self._sink, Bins)

    @property
    def sizes(self) -> tuple[int, int]:
        """Members and non-members so far."""
        return self._sink.sizes

    def scores(self, provenance: Provenance, again: Callable[[], Iterable[Records]]) -> Scores:
        """All of them; `again` gives the same records once more, if they were counted.

        Raises
        ------
        ReadError
            If a number is too large for scores, or the records are others the second time.
        """
        with self._named():
            if isinstance(self._sink, Gathered):
                return self._sink.scores(provenance)
            return refined(self._sink.scores(provenance), again)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """What is wrong with numbers is said of the source."""
        try:
            yield
        except ReadError:
            raise
        except ValueError as error:
            raise ReadError(f"{self._where}: {error}") from None

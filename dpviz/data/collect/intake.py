"""From records to scores: records are kept if they fit in memory, otherwise counted."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from dpviz.audit.scores.base import ScoreKind, Scores
from dpviz.audit.scores.provenance import Provenance
from dpviz.data.collect.bins import Bins
from dpviz.data.collect.kept_records import KeptRecords
from dpviz.data.collect.records import Records
from dpviz.data.collect.refine import refined
from dpviz.data.sources.options import ReadError, ReadOptions
from dpviz.data.sources.progress import bar


class Intake:
    """Records from which exact values are made, or exact counts if values take too much memory.

    `needed` is roughly the number of bytes that values will take, 0 for a source that is in memory
    already. `where` is the name of the source in messages.
    """

    def __init__(self, kind: ScoreKind, needed: int, options: ReadOptions, where: str) -> None:
        self.memory = options.memory
        is_large = needed > self.memory
        self.progress = options.progress or (bar if is_large else iter)
        self._sink: Bins | KeptRecords = Bins(kind) if is_large else KeptRecords(kind)
        self._may_grow = needed > 0
        self._where = where

    def add(self, records: Records) -> None:
        """Take more records; raise ReadError if a number is too large to be counted."""
        sink = self._sink
        with self._named():
            sink.add(records)
            # A compressed file may hold a thousand times its size.
            if self._may_grow and isinstance(sink, KeptRecords) and sink.memory > self.memory:
                self._sink = sink.counted()

    @property
    def is_counting(self) -> bool:
        """Whether records are counted, so that single ones are no longer known."""
        return isinstance(self._sink, Bins)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of members and of non-members so far."""
        return self._sink.sizes

    def scores(self, provenance: Provenance, again: Callable[[], Iterable[Records]]) -> Scores:
        """Scores of all records; `again` reads the same records a second time if they were counted.

        Raises ReadError if a number is too large for scores or the second reading gives others.
        """
        with self._named():
            if isinstance(self._sink, KeptRecords):
                return self._sink.scores(provenance)
            return refined(self._sink.scores(provenance), again)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Turn a ValueError about numbers into a ReadError that names the source."""
        try:
            yield
        except ReadError:
            raise
        except ValueError as error:
            raise ReadError(f"{self._where}: {error}") from None

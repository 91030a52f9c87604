"""Named values of a source: keys of a mapping or of a file, or attributes of an object."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadError, quoted
from dpviz.data.sources.real_arrays import Reals, array_of, is_text, one_dimensional, reals_of
from dpviz.data.tables.side import Side


@dataclass(frozen=True, kw_only=True, eq=False)
class Fields:
    """Values with names, each loaded on request."""

    where: str  # name of the source in messages
    names: tuple[str, ...]  # of values that are not None; a nested one: "predictions.member"
    load: Callable[[str], Any]  # returns the value of a name
    file: File | None = None  # the file that holds the values
    word: str = "key"  # for a name in messages: "key" or "attribute"

    def has(self, *names: str) -> bool:
        """Whether all of these names are present."""
        return all(name in self.names for name in names)

    def place(self, name: str) -> str:
        """The place of a value in messages."""
        return f"{self.where}, {self.word} {quoted(name)}"

    def numbers(self, name: str) -> Reals:
        """A one-dimensional array of real numbers, NaN where one is missing; else a ReadError."""
        return one_dimensional(self.reals(name), self.place(name))

    def matrix(self, name: str) -> Reals:
        """A two-dimensional array of real numbers, or a vector for one column; else a ReadError."""
        array = self.reals(name)
        if array.ndim == 2 and array.shape[1] > 1 and array.shape[0] > 0:
            return array
        column = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
        if column.ndim != 1:
            raise ReadError(
                f"{self.place(name)}: expected a row per record and a column per class, got shape "
                f"{array.shape}"
            )
        return one_dimensional(column, self.place(name))

    def reals(self, name: str) -> Reals:
        """Real numbers of any shape."""
        return reals_of(self.load(name), self.place(name))

    def cells(self, name: str) -> NDArray[Any]:
        """A one-dimensional array of numbers, truth values or text; else a ReadError."""
        array = one_dimensional(array_of(self.load(name), self.place(name)), self.place(name))
        if array.dtype.kind in "cVO" and not is_text(array):
            raise ReadError(f"{self.place(name)}: expected membership or labels, got {array.dtype}")
        return array

    def side(self, name: str) -> Side:
        """The value as the numbers of the members or of the non-members."""
        return Side.of(self.numbers(name), self.place(name))

"""Named values of a source: keys of a mapping or of a file, attributes of an object."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dpviz.data.formats.file import File
from dpviz.data.formats.format import ReadError, quoted
from dpviz.data.formats.real_arrays import Reals, array_of, one_dimensional, reals_of
from dpviz.data.formats.side import Side


@dataclass(frozen=True, kw_only=True, eq=False)
class Fields:
    """Values with names, each loaded when it is asked for.

    Parameters
    ----------
    where : str
        What messages call the source.
    names : tuple of str
        Of what is there and not None; what is nested has a dot: "predictions.member".
    load : callable
        Gives the value of a name.
    file : File, optional
        Where they are read from.
    word : str
        What a name is called: "key" or "attribute".
    """

    where: str
    names: tuple[str, ...]
    load: Callable[[str], Any]
    file: File | None = None
    word: str = "key"

    def has(self, *names: str) -> bool:
        """Whether all of these are there."""
        return all(name in self.names for name in names)

    def place(self, name: str) -> str:
        """What messages call a value."""
        return f"{self.where}, {self.word} {quoted(name)}"

    def numbers(self, name: str) -> Reals:
        """A one-dimensional array of real numbers, NaN where one is missing.

        Raises
        ------
        ReadError
            If the value is anything else, or empty.
        """
        return one_dimensional(self.reals(name), self.place(name))

    def matrix(self, name: str) -> Reals:
        """A two-dimensional array of real numbers, or a one-dimensional one.

        Raises
        ------
        ReadError
            If the value is anything else, or empty. One column is one dimension.
        """
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
        """A one-dimensional array of numbers, truth values or text.

        Raises
        ------
        ReadError
            If the value is anything else, or empty.
        """
        array = one_dimensional(array_of(self.load(name), self.place(name)), self.place(name))
        if array.dtype.kind in "cVO":
            raise ReadError(f"{self.place(name)}: expected membership or labels, got {array.dtype}")
        return array

    def side(self, name: str) -> Side:
        """The numbers of one class."""
        return Side.of(self.numbers(name), self.place(name))

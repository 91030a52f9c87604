"""What unpacking a Parquet file takes, from the headers of its pages, before it is unpacked.

A reader allocates what the header of a page claims. Where the footer contradicts itself in some
ways, pyarrow ends the whole process; these are looked for before. Headers and footer are in
Thrift's compact protocol, see
https://parquet.apache.org/docs/file-format/data-pages/ and
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

DICTIONARY_PAGE = 2  # the kind of such a page in the Parquet format
HEADER = 512  # bytes that nearly all headers fit in; those with long statistics take more
LONGEST_HEADER = 16 * 2**20  # bytes; a longer one raises an error
DEEPEST = 16  # structures in structures
LONGEST_FOOTER = 8 * 2**20  # bytes
END = 8  # bytes at the end of a file: the length of the footer, and a magic number
BYTES_OF_A_VALUE = 16  # in a list, as Arrow keeps it
# Numbers of fields, and what they are in: https://github.com/apache/parquet-format
ROW_GROUPS, COLUMNS, METADATA, CRYPTO, SIZES = 4, 1, 3, 8, 16
TEXT_BYTES, REPETITION, DEFINITION = 1, 2, 3  # of `SIZES`
PREFIXED = "DELTA_BYTE_ARRAY"  # texts that repeat the beginning of the text before them


@dataclass(frozen=True, kw_only=True)
class ColumnSize:
    """Bytes of columns of a row group: of all pages, of what is in memory at once, and of a row.

    The last one is at most, and 0 where it does not matter.
    """

    whole: int
    at_once: int
    row: int


def size_of(stream: IO[bytes], column: Any, *, is_nested: bool) -> ColumnSize:
    """Return the size of a column by its metadata in the footer and by the headers of its pages.

    `is_nested`: whether a row may have many values. Raises ValueError if a header is damaged.
    """
    whole = dictionary = largest = 0
    starts = [column.data_page_offset]
    if column.has_dictionary_page and column.dictionary_page_offset:
        starts.append(column.dictionary_page_offset)
    place = min(starts)
    end = place + column.total_compressed_size
    while place < end:
        kind, unpacked, length = _header(stream, place)
        whole += unpacked
        if kind == DICTIONARY_PAGE:
            dictionary += unpacked
        else:
            largest = max(largest, unpacked)
        place += length
    row = largest if PREFIXED in column.encodings else 0
    if is_nested:
        largest = whole = whole + column.num_values * BYTES_OF_A_VALUE
    return ColumnSize(whole=whole, at_once=dictionary + largest, row=row)


def check_footer(stream: IO[bytes], leaves: Sequence[Any]) -> None:
    """Raise ValueError where pyarrow would end the process as it reads a column.

    `leaves` are the columns of the schema. A group must have all of them, none encrypted; numbers
    of levels and bytes of texts must be of a kind that the column has.
    """
    stream.seek(-END, os.SEEK_END)
    length = int.from_bytes(stream.read(4), "little")
    if length > LONGEST_FOOTER:
        raise ValueError(f"a footer of {length} bytes, more than {LONGEST_FOOTER}")
    stream.seek(-END - length, os.SEEK_END)
    try:
        groups = _Compact(stream.read(length)).struct().get(ROW_GROUPS, [])
        are_right = all(_is_right(group[COLUMNS], leaves) for group in groups)
    except (IndexError, KeyError, TypeError, AttributeError):
        are_right = False
    if not are_right:
        raise ValueError("the footer contradicts itself")


def _is_right(columns: list[dict[int, Any]], leaves: Sequence[Any]) -> bool:
    if len(columns) != len(leaves):
        return False
    for column, leaf in zip(columns, leaves, strict=True):
        sizes = column[METADATA].get(SIZES, {})
        is_text = leaf.physical_type == "BYTE_ARRAY"
        if CRYPTO in column or (TEXT_BYTES in sizes and not is_text):
            return False
        for field, highest in (
            (REPETITION, leaf.max_repetition_level),
            (DEFINITION, leaf.max_definition_level),
        ):
            if sizes.get(field, 0) not in (0, highest + 1):
                return False
    return True


def _header(stream: IO[bytes], place: int) -> tuple[int, int, int]:
    """Kind of a page, its bytes when it is unpacked, and its bytes in the file with its header."""
    for size in (HEADER, LONGEST_HEADER):
        stream.seek(place)
        reader = _Compact(stream.read(size))
        try:
            fields = reader.struct()
        except IndexError:  # cut off
            continue
        except ValueError:
            break
        kind, unpacked, packed = (fields.get(i, -1) for i in (1, 2, 3))
        if unpacked < 0 or packed < 0:
            break
        return kind, unpacked, reader.place + packed
    raise ValueError("the header of a page is damaged")


class _Compact:
    """Values in Thrift's compact protocol, read from the beginning of some bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.place = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Whole numbers, structures and lists among the fields of a structure.

        A list of structures is one here, too; of any other only the length is returned.
        """
        if depth > DEEPEST:
            raise ValueError("structures are nested too deeply")
        found: dict[int, Any] = {}
        field = 0
        while (start := self._byte()) != 0:
            field = field + (start >> 4) if start >> 4 else self._whole()
            value = self._value(start & 15, depth)
            if value is not None:
                found[field] = value
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self._whole()
        if kind == 3:
            self.place += 1
        elif kind == 7:
            self.place += 8
        elif kind == 8:
            length = self._unsigned()
            self.place += length
        elif kind == 9:
            return self._list(depth + 1)
        elif kind == 12:
            return self.struct(depth + 1)
        elif kind not in (1, 2):  # maps are not in Parquet files
            raise ValueError("a field is of an unknown type")
        return None

    def _list(self, depth: int) -> int | list[dict[int, Any]]:
        start = self._byte()
        size, kind = start >> 4, start & 15
        if size == 15:
            size = self._unsigned()
        if kind == 12:
            return [self.struct(depth) for _ in range(size)]
        for _ in range(size):
            if kind in (1, 2):  # in a list a truth value takes a byte
                self._byte()
            else:
                self._value(kind, depth)
        return size

    def _whole(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number has no end")
        return number | byte << shift

    def _byte(self) -> int:
        byte = self._content[self.place]
        self.place += 1
        return byte

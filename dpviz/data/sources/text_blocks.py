"""Reading of text files in blocks of whole records; memory does not grow with the file."""

import zlib
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from dpviz.data.sources.file import COMPRESSED, File
from dpviz.data.sources.options import ReadError, mismatch

BLOCK = 2 * 2**20  # bytes
COMPRESSED_PIECE = 2**14  # bytes; each short member of a gzip file copies the rest of one
LEAST_BLOCK = 2**16  # bytes of a block, even of smaller files, which may grow while they are read
LONGEST_RECORD = 16 * 2**20  # bytes
LONGEST_BLANK = 64 * 2**20  # bytes of blank lines; a gzip file of some MiB may hold many GiB
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
QUOTE, NEWLINE = b'"'[0], b"\n"[0]


def text_blocks(
    file: File, *, has_quotes: bool = True, size: int | None = None, n_skipped_bytes: int = 0
) -> Iterator[tuple[bytes, int]]:
    """Yield (text of whole records, number of earlier records) in blocks of about `size` bytes."""
    # Lines end with "\n"; with `has_quotes`, a newline in double quotes does not end a record.
    # `n_skipped_bytes` are left out at the start, but the numbers count their records. ReadError if
    # the text is not UTF-8, or a record or blank lines exceed `LONGEST_RECORD` or `LONGEST_BLANK`.
    n_before, n_blank, rest = 0, 0, b""
    size = BLOCK if size is None else size
    if not file.suffix.endswith(COMPRESSED):
        size = min(size, max(file.size + 1, LEAST_BLOCK))
    with file.open() as raw:
        stream = GzipStream(raw) if file.suffix.endswith(COMPRESSED) else raw
        while True:
            try:
                read = stream.read(size)
            except (OSError, EOFError, zlib.error) as error:
                raise ReadError(f"{file.where}: not a readable file: {error}") from None
            text = rest + read
            if n_before == 0:
                text = text.removeprefix(BYTE_ORDER_MARK)
            # The second half of "\r\n" may be in the next block.
            hold = b"\r" if read and text.endswith(b"\r") else b""
            text = text[: len(text) - len(hold)]
            if b"\r" in text:
                text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            fault = _first_invalid_byte(text, is_last=not read)
            if fault is not None:
                position, got = fault
                row = n_before + 1 + _n_records(text[:position], has_quotes=has_quotes)
                expected = f"a {file.suffix or '.csv'} file in UTF-8"
                raise mismatch(f"{file.where}, row {row}", expected, got)
            # A block ends with its last whole record, and the rest begins the next one.
            end = _end_of_last_record(text, has_quotes=has_quotes) if read else len(text)
            if end == 0 and len(text) >= LONGEST_RECORD:
                raise ReadError(
                    f"{file.where}, record {n_before + 1}: expected at most "
                    f"{LONGEST_RECORD // 2**20} MiB, got a longer record"
                )
            n_skipped = _n_records(text[:n_skipped_bytes], has_quotes=has_quotes)
            content, rest = text[n_skipped_bytes:end], text[end:] + hold
            n_before, n_skipped_bytes = n_before + n_skipped, 0
            n_blank = n_blank + len(content) if content.isspace() else 0
            if n_blank > LONGEST_BLANK:
                got = f"more than {LONGEST_BLANK // 2**20} MiB of blank lines"
                raise mismatch(f"{file.where}, record {n_before + 1}", "a record", got)
            if content:
                yield content, n_before
            if not read:
                return
            n_before += _n_records(content, has_quotes=has_quotes)


class GzipStream:
    """The content of a gzip file: one or more compressed streams, one after the other."""

    # Python's `gzip` reads the names in the headers byte by byte, which can take minutes.

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._rest = raw, b""
        self._member: Any = None  # the decompressor of a member; None between members

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, or fewer at the end; EOFError if the file was cut off."""
        content = bytearray()
        while len(content) < size and (piece := self._read_piece(size - len(content))):
            content += piece
        return bytes(content)

    def _read_piece(self, most: int) -> bytes:
        while True:
            rest = self._rest or self._raw.read(COMPRESSED_PIECE)
            if self._member is None:
                self._rest = rest.lstrip(b"\0")  # zeros may follow a member
                if not rest:
                    return b""
                if self._rest:
                    self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)  # with gzip's header
                continue
            piece: bytes = self._member.decompress(rest, most)
            self._rest = self._member.unconsumed_tail or self._member.unused_data
            if self._member.eof:
                self._member = None
            elif not (rest or piece):
                raise EOFError("the compressed content is cut off")
            if piece:
                return piece


def _first_invalid_byte(text: bytes, *, is_last: bool) -> tuple[int, str] | None:
    """Return (position, description) of the first byte that is 0 or is not UTF-8, or None."""
    try:
        if not text.isascii():
            text.decode()
    except UnicodeDecodeError as error:
        if is_last or error.end < len(text) or error.reason != "unexpected end of data":
            return error.start, f"byte 0x{text[error.start]:02x}"
    position = text.find(b"\0")
    return None if position < 0 else (position, "binary content")


def _end_of_last_record(text: bytes, *, has_quotes: bool) -> int:
    if not has_quotes or b'"' not in text:
        return text.rfind(b"\n") + 1
    ends = _newlines_outside_quotes(text)
    return int(ends[-1]) + 1 if ends.size else 0


def _n_records(text: bytes, *, has_quotes: bool) -> int:
    if not has_quotes or b'"' not in text:
        # bytes.count takes 5 times as long.
        return int(np.count_nonzero(np.frombuffer(text, np.uint8) == NEWLINE))
    return _newlines_outside_quotes(text).size


def _newlines_outside_quotes(text: bytes) -> np.ndarray:
    characters = np.frombuffer(text, np.uint8)
    # Outside quotes the number of quotes so far is even; a doubled quote counts twice.
    is_quote = characters == QUOTE
    inside = np.bitwise_xor.accumulate(is_quote.view(np.uint8)).view(np.bool_)
    return np.flatnonzero((characters == NEWLINE) & ~inside)

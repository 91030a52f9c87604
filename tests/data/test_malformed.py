"""Every malformed source of the table is refused with its own sentence."""

from pathlib import Path

import pytest

from dpviz.data import ReadError, read_scores
from tests.data.malformed import CASES
from tests.data.malformed.case import Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refused(case: Case, tmp_path: Path) -> None:
    with pytest.raises(ReadError) as refused:
        read_scores(case.make(tmp_path), **case.options)
    print(repr(str(refused.value)))
    refused.match(case.pattern)

"""`report`: a result as a document."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from dpviz.replace_file import replace_file
from dpviz.reports.compare import AuditComparison
from dpviz.reports.formats import COMPARISONS, FORMATS, format_of
from dpviz.reports.make import report_of
from dpviz.reports.material import material


def report(
    shown: Any,
    path: str | Path,
    *,
    about: Mapping[str, Any] | None = None,
    created: datetime | None = None,
) -> None:
    """Write a result as a document: the answer on page one, then every number with what it is.

    An audit that is not computed yet is computed first. A former file is replaced.

    Parameters
    ----------
    shown : Result, Explorer or AuditComparison
        What :func:`dpviz.analyze`, :func:`dpviz.explore` or :func:`dpviz.compare_reports` gives; a
        comparison as ``.html`` or ``.md``.
    path : str or Path
        The ending of the name chooses the format: ``.html``; ``.md``, also a model card for
        Hugging Face; ``.pdf`` (extra ``pdf``); ``.tex``, a table of the numbers; ``.json``, whose
        schema is ``dpviz/audit/2``.
    about : mapping, optional
        What only people know, by group and field of `dpviz.reports.ABOUT`, such as
        ``{"subject": {"model_name": "ResNet-18"}, "auditor": {"name": "A. Smith"}}``; instead of
        what ``analyze(about=...)`` was given. What is left out is printed as "not stated".
    created : datetime, optional
        The moment that the document names; left out: now, or what the environment variable
        SOURCE_DATE_EPOCH says, with which the same input gives the same bytes.

    Raises
    ------
    ValueError
        If `shown` has no result, the ending is unknown, or `about` has an unknown name.
    ImportError
        For PDF, if WeasyPrint is not installed.

    Examples
    --------
    >>> import dpviz, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "claim.html")
    ...     dpviz.report(dpviz.analyze(epsilon=1.0), path)
    ...     "lets an attack catch at most" in path.read_text("utf-8")
    True
    """
    content = report_as(Path(path).suffix, shown, about=about, created=created)
    replace_file(path, content)


def report_as(
    suffix: str,
    shown: Any,
    *,
    about: Mapping[str, Any] | None = None,
    created: datetime | None = None,
) -> bytes:
    """The content of the file that `report` writes; `suffix` is its ending, such as ".html"."""
    if isinstance(shown, AuditComparison):
        return format_of(suffix, COMPARISONS)(shown)
    write = format_of(suffix, FORMATS)
    return write(report_of(material(shown, about=about, created=created)))

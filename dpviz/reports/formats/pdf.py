"""A report as PDF: the HTML page, set by WeasyPrint, which is an optional library."""

from typing import NoReturn

from dpviz.reports.formats.html import html
from dpviz.reports.model import Report


def pdf(report: Report) -> bytes:
    """Pages of A4 with tags for screen readers.

    ImportError without the extra `pdf`, OSError without the Pango library.
    """
    try:
        from weasyprint import HTML  # optional
    except ImportError as error:
        raise ImportError("PDF files need WeasyPrint: pip install 'dpviz[pdf]'") from error
    except OSError as error:
        raise OSError(f"PDF files need the Pango library on this machine: {error}") from error
    page = HTML(string=html(report), url_fetcher=_refuse)
    return bytes(page.write_pdf(pdf_variant="pdf/ua-1"))


def _refuse(url: str) -> NoReturn:
    """A report loads nothing."""
    raise ValueError(f"a report must load nothing, got {url!r}")

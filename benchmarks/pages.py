"""Tables of benchmarks in the documentation, between two markers."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
APPENDIX = ROOT / "docs" / "appendix"


def write_table(page: Path, name: str, lines: list[str]) -> None:
    """Replace what is between the markers with this name."""
    begin, end = (f"<!-- {name}: {place} -->" for place in ("begin", "end"))
    before, rest = page.read_text("utf-8").split(begin)
    after = rest.split(end)[1]
    page.write_text("\n".join([before + begin, *lines, end + after]), "utf-8")

"""Templates whose values are always escaped for the format that is written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "templates"


def safe(text: str) -> Any:
    """Text that is written as it is, because it is already in the format."""
    from markupsafe import Markup  # with the templates

    return Markup(text)


def rendered(template: str, escape: Callable[[str], str], **values: Any) -> str:
    """A template with its values; every value that is not marked as safe goes through `escape`."""
    # Imported here: an explorer can save reports, but opens without this.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape(str(value)))

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(values)

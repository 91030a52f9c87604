"""Results as SVG documents."""

from collections.abc import Sequence

from dpviz import checks
from dpviz.analysis import Result
from dpviz.pictures.scenes import SCENES, WITH_SCORES
from dpviz.pictures.svg_page import drawn, page


def draw(result: Result, names: Sequence[str] | None = None) -> str:
    """Pictures of a result in one SVG document, each with its legend and its sentences.

    It needs neither a browser nor fonts of its own, has no script and no style sheet, and is for
    a white page. Elements have ids that say picture, layer and number of the mark:
    ``region-claim_region-0``. Each picture's group carries, as ``data-`` attributes, what a script
    needs to go from data to pixels.

    Parameters
    ----------
    result : Result
        See :func:`dpviz.analyze`.
    names : sequence of str, optional
        Of `dpviz.pictures.scenes.SCENES`. Left out: all that have something to show.

    Returns
    -------
    str
        One `<svg>` element.

    Raises
    ------
    ValueError
        If a name is unknown, given twice, or none is given.
    """
    if names is None:
        names = [name for name in SCENES if result.sample or name not in WITH_SCORES]
    elif not names or len(set(names)) < len(names):
        raise checks.fail("names", "different names of pictures", names)
    chosen = [checks.choice("name", name, SCENES) for name in names]
    return page([drawn(SCENES[name], result, name) for name in chosen])


def picture(result: Result, name: str) -> str:
    """One picture of a result as an SVG document; see :func:`draw`."""
    return draw(result, [name])

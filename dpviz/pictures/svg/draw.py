"""Results as SVG documents."""

from collections.abc import Sequence

from dpviz import checks
from dpviz.analysis import Result
from dpviz.pictures.scenes.registry import SCENES
from dpviz.pictures.svg.page import drawn, page


def draw(result: Result, names: Sequence[str] | None = None) -> str:
    """Return pictures of a result as one SVG document, each with its legend and its sentences.

    The document has no script, no style sheet and no fonts, and is meant for a white page. The id
    of an element names picture, layer and number of the mark: ``region-claim_region-0``. The
    ``data-`` attributes of a picture's group give a script the map from data to pixels.

    Parameters
    ----------
    result : Result
        See :func:`dpviz.analyze`.
    names : sequence of str, optional
        Keys of `dpviz.pictures.scenes.registry.SCENES`; by default all pictures that have something
        to show.

    Returns
    -------
    str
        One `<svg>` element.

    Raises
    ------
    ValueError
        If a name is unknown, given twice, or none is given.

    Examples
    --------
    >>> from dpviz import analyze, pictures
    >>> svg = pictures.draw(analyze(epsilon=1.0), ["region", "tradeoff"])
    >>> svg.count('role="img"')
    2
    """
    if names is None:
        names = [name for name, scene in SCENES.items() if not scene.is_empty(result)]
    elif not names or len(set(names)) < len(names):
        raise checks.fail("names", "different names of pictures", names)
    chosen = [checks.choice("name", name, SCENES) for name in names]
    return page([drawn(SCENES[name], result, name) for name in chosen])


def picture(result: Result, name: str) -> str:
    """Return one picture of a result as an SVG document; see :func:`draw`.

    Parameters
    ----------
    result : Result
    name : str
        One of the keys of `dpviz.pictures.scenes.registry.SCENES`.

    Returns
    -------
    str
        One `<svg>` element.

    Examples
    --------
    >>> from dpviz import analyze, pictures
    >>> svg = pictures.picture(analyze(epsilon=1.0), "region")
    >>> "allowed by the claim" in svg
    True
    """
    return draw(result, [name])

"""The code that puts a live picture into any page; `dpviz/static/dpviz.mjs` draws the picture."""

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.analysis import Analysis, Result, Spec
from dpviz.analysis.state.browser_state import json_number
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit.scores.base import Scores
from dpviz.number_format import exact
from dpviz.replace_file import replace_file
from dpviz.theory import ApproximateDP, GaussianDP, PureDP

MODULE = Path(__file__).parents[1] / "static" / "dpviz.mjs"
MOST_RECORDS = 100_000  # of which a page computes the bound
IN_A_PAGE = "for a page without Python"
WAY_OUT = "save_html of an explorer writes a page of its own"
# Fields of a spec that have no other value in such a page.
FIXED = ("overlays", "compare", "confidence_level", "sampling", "method", "clip")
# The scenes of a still, by picture of the module.
STILLS: dict[str, tuple[str, ...]] = {name: (name,) for name in ("region", "tradeoff", "risk")}
STILLS |= {"epsilonStar": ("epsilon_star",), "profile": ("profile",), "mechanism": ("ratio",)}
STILLS |= {"people": ("people", "population")}
STILLS |= {"board": ("ruler", "region", "tradeoff", "epsilon_star", "tail", "risk")}
HTML = '<script type="module" src="{module}"></script>\n<{tag}{attributes}>{still}</{tag}>\n'
FORMS = {"html": HTML, "markdown": HTML, "quarto": f"```{{{{=html}}}}\n{HTML}```\n"}
FORMS |= {"reveal": f"<section>\n{HTML}</section>\n"}
FORMS |= {"myst": ":::{{anywidget}} {module}\n{state}\n:::\n"}


def embed(
    result: Result | None = None,
    *,
    view: str = "board",
    form: str = "html",
    module: str = "dpviz.mjs",
    folder: str | Path | None = None,
    **spec: Any,
) -> str:
    """Return the code that puts a live picture into your own page.

    The page needs no Python. Scores become their ranks, on which all pictures depend alone. With
    scores, a claim that is not tested is left out.

    Parameters
    ----------
    result : Result, optional, as :func:`analyze` returns it or `explorer.result`
    view : {"board", "region", "tradeoff", "epsilonStar", "risk", "profile", "mechanism", "people"}
    form : {"html", "markdown", "myst", "quarto", "reveal"}
        The kind of page; "markdown" has a still as well, for places that run no script.
    module : str, the address of `dpviz.mjs` as the page sees it
    folder : path, optional, where `dpviz.mjs` and the still `dpviz-<view>.svg` are written
    **spec : fields of :class:`Spec`, such as `epsilon`, in place of a result

    Raises
    ------
    ValueError, if the module cannot draw the claim, or not compute what the result shows

    Examples
    --------
    >>> import dpviz
    >>> print(dpviz.embed(epsilon=1.0, delta=1e-5, view="region", form="myst"))
    :::{anywidget} dpviz.mjs
    {"view": "region", "epsilon": 1.0, "delta": 1e-05}
    :::
    <BLANKLINE>
    """
    checks.choice("view", view, STILLS)
    checks.choice("form", form, FORMS)
    if not isinstance(module, str) or len(module.split()) != 1:
        raise checks.fail("module", "a URL without spaces", module)
    if result is not None and spec:
        raise checks.fail("result", "given without " + " and ".join(spec), result)
    shown = Analysis().result(Spec.of(**spec)) if result is None else result
    checks.must_be_a("result", shown, Result, "a Result, as analyze returns")
    options = _options(shown)
    still = f"dpviz-{view}.svg" if form == "markdown" else ""
    if folder is not None:
        replace_file(Path(folder, MODULE.name), MODULE.read_bytes())
        if still:
            names = [name for name in STILLS[view] if not SCENES[name].is_empty(shown)]
            replace_file(Path(folder, still), shown.svg(*names).encode())
    texts = {name: json.dumps(v) if name == "scores" else exact(v) for name, v in options.items()}
    return FORMS[form].format(
        module=module if form == "myst" else html.escape(module),
        state=json.dumps({"view": view, **options}),
        tag="dpviz-" + re.sub("(?=[A-Z])", "-", view).lower(),
        attributes="".join(f' {name}="{html.escape(text)}"' for name, text in texts.items()),
        still=still and f'\n<img src="{still}" alt="{html.escape(shown.sentences["answer"])}">\n',
    )


def _options(result: Result) -> dict[str, Any]:
    """Return the options of `dpviz.mjs` that show a result; ValueError if no options show it."""
    spec, claim, usual = result.spec, result.spec.claim, Spec()
    for name in FIXED:
        if (value := getattr(spec, name)) != getattr(usual, name):
            raise checks.fail(name, f"{getattr(usual, name)!r} {IN_A_PAGE}", value, WAY_OUT)
    is_known = type(claim) in (ApproximateDP, PureDP, GaussianDP) and not result.claim.converted
    if result.is_tested and not is_known:
        condition = f"(ε, δ)-DP or Gaussian DP, not converted to replace-one, {IN_A_PAGE}"
        raise checks.fail("claim", condition, claim, WAY_OUT)
    options: dict[str, Any] = {"epsilon": json_number(spec.epsilon) if result.is_tested else "inf"}
    if result.is_tested and type(claim) is GaussianDP:
        options = {"mu": claim.mu}
    options["delta"] = 0.0 if type(claim) is PureDP else spec.delta
    options |= {} if spec.prior == usual.prior else {"prior": spec.prior}
    options |= {} if spec.fpr is None else {"fpr": spec.fpr}
    return options if result.sample is None else {**options, "scores": _ranks(result.sample.scores)}


def _ranks(scores: Scores) -> dict[str, Any]:
    """Return scores as ranks from 0; equal scores have the same rank."""
    if (n := scores.n_members + scores.n_nonmembers) > MOST_RECORDS:
        raise checks.fail("scores", f"at most {MOST_RECORDS} records {IN_A_PAGE}", n, WAY_OUT)
    distinct = scores.distinct_scores()
    # A high score means member, a low loss does.
    ranks = np.arange(distinct.size)[:: -1 if scores.kind == "loss" else 1]
    classes = {"members": scores.members, "nonmembers": scores.nonmembers}
    ranked = {
        name: np.repeat(ranks[np.searchsorted(distinct, each.values)], each.counts).tolist()
        for name, each in classes.items()
    }
    return {"kind": scores.kind, **ranked}

"""The lines that put a live picture into a page of somebody's own, which needs no Python.

The module `dpviz/static/dpviz.mjs`, which stands beside the page, draws the picture.
"""

import html
import json
import re
from pathlib import Path
from typing import Any, cast

import numpy as np

from dpviz import checks
from dpviz.analysis import Analysis, Result, Spec
from dpviz.analysis.state.browser_state import json_number
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit.scores.base import OrderedSample, Scores
from dpviz.number_format import exact
from dpviz.replace_file import replace_file
from dpviz.theory import ApproximateDP, GaussianDP, PureDP

MODULE = Path(__file__).parents[1] / "static" / "dpviz.mjs"
MOST_RECORDS = 100_000  # of which a page computes the bound
# Fields of a spec that have no other value in a page.
FIXED = ("overlays", "compare", "confidence_level", "sampling", "method", "clip")
WAY_OUT = "save_html of an explorer writes a page of its own"
# By picture of the module: the scenes that a still of it shows.
STILLS = {
    "board": ("ruler", "region", "tradeoff", "epsilon_star", "tail", "risk"),
    **{"region": ("region",), "tradeoff": ("tradeoff",), "epsilonStar": ("epsilon_star",)},
    **{"risk": ("risk",), "profile": ("profile",), "mechanism": ("ratio",)},
    "people": ("people", "population"),
}
HTML = '<script type="module" src="{module}"></script>\n<{tag}{attributes}>{still}</{tag}>\n'
FORMS = {
    "html": HTML,
    "markdown": HTML,
    "quarto": f"```{{{{=html}}}}\n{HTML}```\n",
    "reveal": f"<section>\n{HTML}</section>\n",
    "myst": ":::{{anywidget}} {module}\n{state}\n:::\n",
}


def embed(
    result: Result | None = None,
    *,
    view: str = "board",
    form: str = "html",
    module: str = "dpviz.mjs",
    folder: str | Path | None = None,
    **spec: Any,
) -> str:
    """Return the lines that put a live picture into a page of your own, which needs no Python.

    Scores become their ranks, on which every picture depends alone; two pictures of one page may
    have different claims. A claim that is not tested is left out where there are scores.

    Parameters
    ----------
    result : Result, optional, as :func:`analyze` returns it or `explorer.result`
    view : {"board", "region", "tradeoff", "epsilonStar", "risk", "profile", "mechanism", "people"}
    form : {"html", "markdown", "myst", "quarto", "reveal"}
        The kind of page. "markdown" has a still as well, for places that run no script.
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
        raise checks.fail("module", "an address without spaces", module)
    if result is None:
        result = Analysis().result(Spec.of(**spec))
    elif spec:
        raise checks.fail("result", "given alone", result, "leave out " + ", ".join(spec))
    checks.must_be_a("result", result, Result, "a Result, as analyze returns")
    state = {"view": view, **_options(result)}
    still = f"dpviz-{view}.svg" if form == "markdown" else ""
    if folder is not None:
        replace_file(Path(folder, MODULE.name), MODULE.read_bytes())
        if still:
            shown = [name for name in STILLS[view] if not SCENES[name].is_empty(result)]
            replace_file(Path(folder, still), result.svg(*shown).encode())
    alt = html.escape(result.sentences["answer"])
    return FORMS[form].format(
        module=module if form == "myst" else html.escape(module),
        state=json.dumps(state),
        tag=f"dpviz-{re.sub('[A-Z]', lambda letter: f'-{letter[0].lower()}', view)}",
        attributes="".join(_attribute(name, state[name]) for name in state if name != "view"),
        still=still and f'\n<img src="{still}" alt="{alt}">\n',
    )


def _attribute(name: str, value: Any) -> str:
    return f" {name}='{json.dumps(value)}'" if name == "scores" else f' {name}="{exact(value)}"'


def _options(result: Result) -> dict[str, Any]:
    """Return the options of the module that show a result; ValueError if none do."""
    spec, claim = result.spec, result.spec.claim
    for name in FIXED:
        default = getattr(Spec(), name)
        if getattr(spec, name) != default:
            condition = f"{default!r} for a page without Python"
            raise checks.fail(name, condition, getattr(spec, name), WAY_OUT)
    if not result.is_tested:
        options = {"epsilon": "inf", "delta": spec.delta}
    elif result.claim.converted or type(claim) not in (ApproximateDP, PureDP, GaussianDP):
        condition = "(ε, δ)-DP or Gaussian DP, compared as it stands, for a page without Python"
        raise checks.fail("claim", condition, claim, WAY_OUT)
    elif type(claim) is GaussianDP:
        options = {"mu": claim.mu, "delta": spec.delta}
    else:
        options = {
            "epsilon": json_number(spec.epsilon),
            "delta": claim.parameters.get("delta", 0.0),
        }
    options |= {} if spec.prior == Spec().prior else {"prior": spec.prior}
    options |= {} if spec.fpr is None else {"fpr": spec.fpr}
    if result.sample is not None:
        options["scores"] = _ranks(result.sample.scores)
    return options


def _ranks(scores: Scores) -> dict[str, Any]:
    """Return scores as ranks from 0; equal scores have equal ranks."""
    if (n := scores.n_members + scores.n_nonmembers) > MOST_RECORDS:
        condition = f"of at most {MOST_RECORDS} records for a page without Python"
        raise checks.fail("scores", condition, n, WAY_OUT)
    distinct = scores.distinct_scores()
    # A high score means member, a low loss does.
    ranks = np.arange(distinct.size)[:: -1 if scores.kind == "loss" else 1]

    def of(sample: OrderedSample) -> list[int]:
        places = np.repeat(np.searchsorted(distinct, sample.values), sample.counts)
        return cast(list[int], ranks[places].tolist())

    of_classes = {"members": of(scores.members), "nonmembers": of(scores.nonmembers)}
    return {"kind": scores.kind, **of_classes}

"""A spec as Python code, to paste into a notebook or a script."""

import json
from dataclasses import fields
from inspect import signature
from itertools import groupby
from math import isinf
from typing import Any

from dpviz import checks
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.facts.about import About
from dpviz.analysis.facts.answers import Facts
from dpviz.analysis.spec import Spec
from dpviz.analysis.state.json_state import sample_key
from dpviz.audit.scores.base import Scores
from dpviz.claims.guarantee_state import registered_key
from dpviz.theory import ApproximateDP, TradeoffFunction

LINE_LENGTH = 88  # characters of a line of Python, as Black has it


def python_code(
    spec: Spec, scores: Scores | None = None, *, source: str | None = None, **page: Any
) -> str:
    """Return Python that shows the same page: imports, scores, settings that are not defaults.

    `source` is the Python expression that gives the scores; without it a packaged sample is read by
    its key, and other scores are three dots to fill in. `page` are further arguments of
    `dpviz.explore`: strings and tuples of strings. Raises ValueError if the claim or an overlay is
    of a class that is not in `dpviz.theory.MECHANISMS`, or `source` is given where there are no
    scores.
    """
    if scores is None and source is not None:
        raise checks.fail("source", "left out where there are no scores", source)
    # Lines that load the scores, then the arguments of `dpviz.explore`.
    loaded = [] if scores is None else [f"scores = {source or _source(scores)}"]
    loaded += _compare_lines(spec.compare)
    given = [] if scores is None else ["scores"]
    given += ["compare=compare"] if spec.compare else []
    given += [f"{name}={value}" for name, value in _arguments(spec).items()]
    given += [f"{name}={_literal(value, name)}" for name, value in page.items()]
    # Modules are imported only where an argument uses them.
    body = [*loaded, f"explorer = {_call('dpviz.explore', given)}", "explorer"]
    imports = ["import dpviz"]
    if any("math.inf" in argument for argument in given):
        imports = ["import math", "", *imports]
    if any("theory." in argument for argument in given):
        imports.append("from dpviz import theory")
    return "\n".join([*imports, "", *body, ""])


def _source(scores: Scores) -> str:
    key = sample_key(scores)
    if key is not None:
        return f'dpviz.read_sample("{key}")'
    sizes = f"{scores.n_members} members, {scores.n_nonmembers} non-members"
    return f"...  # your scores: {sizes}"


def _compare_lines(attacks: Attacks) -> list[str]:
    """Return lines of Python that define `compare`, the dict of other attacks."""
    if not attacks:
        return []
    lines = []
    for name, scores in attacks.items():
        code, *comment = _source(scores).split("  # ")
        written = json.dumps(name, ensure_ascii=False)  # a literal of Python, too
        lines.append("  # ".join([f"    {written}: {code},", *comment]))
    return ["compare = {", *lines, "}"]


def _arguments(spec: Spec) -> dict[str, str]:
    """Return the settings that are not defaults: Python text by argument of `dpviz.explore`."""
    default = Spec()
    names = [f.name for f in fields(spec) if f.name != "compare"]
    if type(spec.claim) is ApproximateDP and spec.claim.adjacency == default.claim.adjacency:
        # Epsilon and delta say all about such a claim.
        names[0] = "epsilon"
    elif "delta" in spec.claim.parameters:
        # The claim writes its delta itself.
        names.remove("delta")
    named = [n for n in names if getattr(spec, n) != getattr(default, n)]
    return {name: _literal(getattr(spec, name), name) for name in named}


def _literal(value: Any, name: str) -> str:
    if isinstance(value, TradeoffFunction):
        return _guarantee(value, name)
    if isinstance(value, tuple):
        return _sequence(value, name)
    if isinstance(value, Facts):
        return json.dumps(value.plain(), ensure_ascii=False)  # a literal of Python, too
    if isinstance(value, About):
        return repr(value.plain())
    if isinstance(value, str):
        return f'"{value}"'
    return "math.inf" if isinstance(value, float) and isinf(value) else repr(value)


def _guarantee(guarantee: TradeoffFunction, name: str) -> str:
    registered_key(guarantee, name)
    given = dict(guarantee.parameters)
    usual = signature(type(guarantee)).parameters["adjacency"].default
    # A default of None stands for the adjacency of what a guarantee is made of.
    if usual not in (None, guarantee.adjacency):
        given["adjacency"] = guarantee.adjacency
    arguments = [f"{key}={_literal(value, name)}" for key, value in given.items()]
    return f"theory.{type(guarantee).__name__}({', '.join(arguments)})"


def _sequence(values: tuple[Any, ...], name: str) -> str:
    # Equal neighbours are written as "[value] * count".
    runs = [(_literal(value, name), len(list(same))) for value, same in groupby(values)]
    if any(times > 3 for _, times in runs):
        return " + ".join(f"[{text}]" + (f" * {n}" if n > 1 else "") for text, n in runs)
    return f"[{', '.join(text for text, n in runs for _ in range(n))}]"


def _call(function: str, arguments: list[str]) -> str:
    line = f"{function}({', '.join(arguments)})"
    # One line where it fits, else one argument in each line.
    if len(f"explorer = {line}") <= LINE_LENGTH:
        return line
    return "\n".join([f"{function}(", *(f"    {argument}," for argument in arguments), ")"])

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
from dpviz.analysis.state.json_state import packaged_sample_key
from dpviz.audit.scores.base import Scores
from dpviz.claims.guarantee_state import mechanism_key
from dpviz.theory import ApproximateDP, TradeoffFunction

LINE_LENGTH = 88  # characters of a line of Python, as in Black


def python_code(
    spec: Spec, scores: Scores | None = None, *, source: str | None = None, **explore_arguments: Any
) -> str:
    """Return Python code that shows the page of a spec, with all settings that are not defaults.

    `source` is the Python expression for the scores. Raises ValueError for a guarantee of a class
    that is not in `dpviz.theory.MECHANISMS`, and for a `source` without `scores`.
    """
    if scores is None and source is not None:
        raise checks.fail("source", "left out if there are no scores", source)
    # `loaded` has the lines that load scores, `given` the arguments of `dpviz.explore`.
    loaded = [] if scores is None else [f"scores = {source or _scores_expression(scores)}"]
    loaded += _code_of_other_attacks(spec.compare)
    given = [] if scores is None else ["scores"]
    given += ["compare=compare"] if spec.compare else []
    given += [f"{name}={value}" for name, value in _arguments_not_default(spec).items()]
    given += [f"{name}={_as_python(value, name)}" for name, value in explore_arguments.items()]
    call = f"explorer = dpviz.explore({', '.join(given)})"
    if len(call) > LINE_LENGTH:
        lines = (f"    {argument}," for argument in given)
        call = "\n".join(["explorer = dpviz.explore(", *lines, ")"])
    # Modules are imported only where an argument uses them.
    imports = ["import dpviz"]
    if any("math.inf" in argument for argument in given):
        imports = ["import math", "", *imports]
    if any("theory." in argument for argument in given):
        imports.append("from dpviz import theory")
    return "\n".join([*imports, "", *loaded, call, "explorer", ""])


def _scores_expression(scores: Scores) -> str:
    key = packaged_sample_key(scores)
    if key is not None:
        return f'dpviz.read_sample("{key}")'
    sizes = f"{scores.n_members} members, {scores.n_nonmembers} non-members"
    return f"...  # your scores: {sizes}"


def _code_of_other_attacks(attacks: Attacks) -> list[str]:
    """Return Python code, line by line, that defines the dict `compare` of other attacks."""
    if not attacks:
        return []
    lines = []
    for name, scores in attacks.items():
        code, *comment = _scores_expression(scores).split("  # ")
        written = json.dumps(name, ensure_ascii=False)  # valid in Python, too
        lines.append("  # ".join([f"    {written}: {code},", *comment]))
    return ["compare = {", *lines, "}"]


def _arguments_not_default(spec: Spec) -> dict[str, str]:
    """Return a dict of arguments of `dpviz.explore` that are not defaults, as Python source."""
    default = Spec()
    names = [f.name for f in fields(spec) if f.name != "compare"]
    if type(spec.claim) is ApproximateDP and spec.claim.adjacency == default.claim.adjacency:
        names[0] = "epsilon"  # in place of "claim"
    elif "delta" in spec.claim.parameters:
        names.remove("delta")  # an argument of the claim
    named = [n for n in names if getattr(spec, n) != getattr(default, n) and n != "tested"]
    # Where neither claim nor epsilon is given, `dpviz.explore` tests no claim.
    if spec.tested and names[0] not in named:
        named.insert(0, names[0])
    return {name: _as_python(getattr(spec, name), name) for name in named}


def _as_python(value: Any, argument: str) -> str:
    if isinstance(value, TradeoffFunction):
        return _guarantee_expression(value, argument)
    if isinstance(value, tuple):
        return _sequence_expression(value, argument)
    if isinstance(value, Facts):
        return json.dumps(value.as_dict(), ensure_ascii=False)  # valid in Python, too
    if isinstance(value, About):
        return repr(value.as_dict())
    if isinstance(value, str):
        return f'"{value}"'
    return "math.inf" if isinstance(value, float) and isinf(value) else repr(value)


def _guarantee_expression(guarantee: TradeoffFunction, argument: str) -> str:
    mechanism_key(guarantee, argument)
    given = dict(guarantee.parameters)
    default = signature(type(guarantee)).parameters["adjacency"].default
    # The default None means the adjacency of the guarantees that this one is built from.
    if default not in (None, guarantee.adjacency):
        given["adjacency"] = guarantee.adjacency
    arguments = [f"{key}={_as_python(value, argument)}" for key, value in given.items()]
    return f"theory.{type(guarantee).__name__}({', '.join(arguments)})"


def _sequence_expression(values: tuple[Any, ...], argument: str) -> str:
    # A run of equal values is written as "[value] * count".
    runs = [(_as_python(value, argument), len(list(same))) for value, same in groupby(values)]
    if any(times > 3 for _, times in runs):
        return " + ".join(f"[{text}]" + (f" * {n}" if n > 1 else "") for text, n in runs)
    return f"[{', '.join(text for text, n in runs for _ in range(n))}]"

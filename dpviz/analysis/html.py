"""A result as HTML in a notebook: the answer, a picture of epsilons, and a table of numbers."""

from base64 import b64encode
from collections.abc import Iterator

from dpviz.analysis.result import Result
from dpviz.analysis.svg import SvgPicture, page
from dpviz.analysis.topics.answer import RULER, ruler_sentence
from dpviz.drawing.svg import escaped
from dpviz.number_format import lower, percent, short, upper


def result_html(result: Result) -> str:
    """Return the answer, a picture and a table of a result as HTML without script, style or ids."""
    names = ("answer", "answer_detail", "reading", "answer_limits")
    first, *others = filter(None, (result.sentences[name] for name in names))
    texts = "".join(f"<p>{escaped(text)}</p>" for text in others)
    # As an image of its own, the picture has white paper on a dark page, too.
    data = b64encode(page([SvgPicture.of(RULER, result, "ruler", [])]).encode()).decode()
    alt = escaped(ruler_sentence(result))
    rows = "".join(
        f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(value)}</td>'
        f"<td>{escaped(kind)}</td></tr>"
        for name, value, kind in quoted_numbers(result)
    )
    picture = f'<img src="data:image/svg+xml;base64,{data}" alt="{alt}">'
    return (
        f"<div><p><strong>{escaped(first)}</strong></p>{texts}{picture}<table>{rows}</table></div>"
    )


def quoted_numbers(result: Result) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and kind ("claimed") of the main numbers; limits are rounded outwards."""
    answer, bound, sample = result.answer, result.lower_bound, result.sample
    at_delta = f"at δ = {short(answer.delta)}"
    if answer.claimed is not None:
        yield f"ε {at_delta}", short(upper(answer.claimed)), "claimed"
    if bound is not None:
        level = percent(bound.confidence_level)
        at = f"ε at δ = {short(bound.delta)}"
        yield at, f"≥ {short(lower(bound.low))}", f"lower bound, {level} confidence"
    if result.p_value is not None:
        yield "p-value", short(upper(result.p_value)), "of the claim"
    if sample is None:
        return
    star = short(sample.epsilon_star.star.value)
    yield f"Epsilon* {at_delta}", f"≈ {star}", "estimate, not a bound"
    for name, found in (("AUC", sample.rates.auc), ("advantage", sample.rates.advantage)):
        interval = f"{short(lower(found.low))} to {short(upper(found.high))}"
        level = percent(found.confidence_level)
        yield name, f"{short(found.value)} ({interval})", f"estimate ({level} interval)"

"""From the material to the typed report."""

import math
from importlib.metadata import version
from typing import Any

from dpviz.analysis.result import SamplePart
from dpviz.analysis.state.state import state_of
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.answer import ABOUT, ruler
from dpviz.analysis.topics.claim import short_name
from dpviz.analysis.topics.registry import (
    SCENES,
    lead_of,
)
from dpviz.drawing.svg import FONTS, WIDTH, SvgFrame, escaped
from dpviz.drawing.theme import INK
from dpviz.number_format import percent, short, upper
from dpviz.pictures.saved import Origin, page_title
from dpviz.pictures.svg import SIZE
from dpviz.reports.groups.question import variant
from dpviz.reports.groups.registry import groups_of
from dpviz.reports.material import Material
from dpviz.reports.model import Figure, Report
from dpviz.theory import ApproximateDP, ZeroConcentratedDP


def meta(made: Material, origin: Origin | None) -> str:
    """What was audited, by whom, when, and by which version."""
    about = made.about
    stated = (
        about.get("subject", {}).get("model_name"),
        about.get("auditor", {}).get("name"),
        f"{made.created.day} {made.created:%B %Y}",
    )
    parts = ["Privacy claim" if origin is None else "Privacy audit", *filter(None, stated)]
    if origin is not None:
        known = made.scores.provenance if made.scores else None
        digest = (known.sha256 if known else None) or origin.sha256
        parts += [origin.source, f"SHA-256 {digest[:4]}…{digest[-4:]}"]
    return " · ".join([*map(str, parts), f"made by dpviz {version('dpviz')}"])


def lead(made: Material) -> tuple[str, ...]:
    """The line below the headline."""
    return _some(made.sentences.get("answer_detail", ""))


def plain_words(made: Material) -> tuple[str, ...]:
    """What was compared and what was found, in whole people."""
    said, sample = made.sentences, made.sample
    if sample is None:
        return _some(said.get("people", ""), said.get("odds", ""))
    return _some(
        _compared(sample),
        _clearest_place(sample) if made.contradicted else "",
        said.get("large_delta", ""),
        said.get("at_one_percent", ""),
        said.get("cautions", ""),
    )


def not_claimed(made: Material) -> tuple[str, ...]:
    """What nobody may read into the report."""
    sample = made.sample
    verdict = "This report does not judge whether the model may be released."
    if sample is None:
        return (
            "The claim is not checked here: without scores of an attack nothing was audited.",
            "(ε, δ) says what an attacker may learn at most, not what one has learned.",
            verdict,
        )
    star, null = sample.epsilon_star.star, sample.audit.null
    estimate = f"Epsilon* ≈ {short(star.value)} is an estimate, not a bound."
    if null is not None and made.result.spec.method == "empirical":
        most = short(upper(null.quantile("epsilon_star")))
        estimate += f" Chance alone gives up to {most} with so many records."
    return (
        f"It is about {ABOUT[made.result.spec.applies_to]}.",
        "A lower bound cannot show that ε is small: another attack may reach more. A claim that is "
        "not contradicted is not thereby confirmed.",
        estimate,
        "It assumes that members and non-members are independent draws, each from its own "
        "distribution.",
        verdict,
    )


def _compared(sample: SamplePart) -> str:
    at = sample.at_fpr
    kind = "losses" if at.kind == "loss" else "scores"
    return (
        f"The {kind} of {at.n_members} members (records that the model was trained on) were "
        f"compared with those of {at.n_nonmembers} non-members (other records)."
    )


def _clearest_place(sample: SamplePart) -> str:
    """Where the evidence is strongest, in records."""
    test = sample.audit.test
    if test is None or test.place is None or test.permitted_tpr is None:
        return ""
    place = test.place
    flagged = percent(place.false_positives / place.n_nonmembers)
    missed = place.n_members - place.true_positives
    required = math.floor(place.n_members * (1 - test.permitted_tpr))
    return (
        f"The clearest place: a threshold that flags {place.false_positives} of the "
        f"{place.n_nonmembers} non-members ({flagged}) misses {missed} of the {place.n_members} "
        f"members. Under the claim such an attack misses at least {required} on average."
    )


def _some(*texts: str) -> tuple[str, ...]:
    return tuple(filter(None, texts))


# The figures of a report: which scenes, how wide, and the same in words.

RULER_WIDTH, SECOND_WIDTH = 700, 350  # pixels, of the figures on page one

FURTHER = {  # scenes by group
    "epsilon": ("evidence", "bounds"),
    "results": ("tail",),
    "slices": ("slices",),
    "scores": ("scores",),
}

WITHOUT_SCORES = {"theory": ("profile", "risk")}


def figures(made: Material) -> tuple[Figure, ...]:
    """The figures that have something to show."""
    # Where nothing is claimed, the plane would show a promise that nobody made.
    second = "scores" if made.sample and not made.is_claimed else "region"
    wanted = [("ruler", "", RULER_WIDTH), (second, "", SECOND_WIDTH)]
    for group, names in (FURTHER if made.sample else WITHOUT_SCORES).items():
        wanted += [(name, group, WIDTH) for name in names if name != second]
    return tuple(
        _figure(name, made, group, width)
        for name, group, width in wanted
        if not SCENES[name].is_empty(made.result)
    )


def _figure(name: str, made: Material, group: str, width: int) -> Figure:
    scene, said = SCENES[name], made.sentences
    title = scene.title_of(made.result)
    frame = SvgFrame(scene, f"figure-{name}", width=width)
    frame.draw(scene.layers(), made.result)
    shown = "; ".join(each.label.text for each in frame.labels())
    lead = ruler(made.result) if name == "ruler" else said.get(lead_of(scene), "")
    described = " ".join(filter(None, [lead, f"Shown: {shown}." if shown else ""]))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'viewBox="0 0 {width} {frame.height:g}" role="img" aria-labelledby="figure-{name}-title" '
        f'aria-describedby="figure-{name}-desc" font-family="{FONTS}" font-size="{SIZE}" '
        f'fill="{INK}">'
        f'<title id="figure-{name}-title">{escaped(title)}</title>'
        f'<desc id="figure-{name}-desc">{escaped(described)}</desc>{frame.svg()}</svg>'
    )
    return Figure(name=name, title=title, lead=lead, svg=svg, described=described, group=group)


# The fields of the OpenDP deployments registry that a report knows, under the registry's names.


def deployment(made: Material) -> dict[str, Any]:
    """What is known; the registry requires more, which only the curator can state."""
    given, about = made.result.spec.claim, made.about
    known: dict[str, dict[str, Any]] = {
        "basic": {"name": about.get("subject", {}).get("model_name")},
        "dp_variant": {},
        "privacy_loss": {"privacy_unit": about.get("theory", {}).get("unit")},
        "deployment_model": {"model_name": about.get("theory", {}).get("deployment_model")},
        "accounting": {"composition": about.get("theory", {}).get("composition")},
        "implementation": {},
    }
    if made.is_claimed:
        known["dp_variant"]["variant_name"] = variant(given)
        known["implementation"]["mechanisms"] = short_name(given)
        known["privacy_loss"]["privacy_unit_details"] = f"adjacency: {given.adjacency}"
        if isinstance(given, ZeroConcentratedDP):
            known["privacy_loss"]["privacy_parameters"] = {"rho": given.parameters["rho"]}
        if isinstance(given, ApproximateDP):
            known["privacy_loss"]["privacy_parameters"] = {
                "epsilon": given.claimed_epsilon,
                "delta": given.claimed_delta,
            }
    stated = {
        part: {name: value for name, value in fields.items() if value is not None}
        for part, fields in known.items()
    }
    return {part: fields for part, fields in stated.items() if fields}


# From the material to the typed report.


def report_of(made: Material) -> Report:
    """Everything a report says, computed once for all formats."""
    origin = Origin.of(made.scores)
    test = made.sample.audit.test if made.sample else None
    cautions = test.warnings if test else ()
    return Report(
        created=made.created.isoformat(timespec="seconds"),
        version=version("dpviz"),
        state=made.result.answer.state,
        contradicted=made.contradicted,
        title=page_title(made.result, origin),
        meta=meta(made, origin),
        headline=made.result.sentences["answer"],
        lead=lead(made),
        plain_words=plain_words(made),
        not_claimed=not_claimed(made),
        warnings=tuple(dict.fromkeys((*made.warnings, *cautions))),
        checklist=_checklist(made),
        groups=groups_of(made),
        figures=figures(made),
        sentences=made.sentences,
        spec=_spec(made),
        deployment=deployment(made),
    )


def _spec(made: Material) -> dict[str, Any] | None:
    """The choices; None where the claim is of one's own class, which has no text."""
    try:
        spec: dict[str, Any] = state_of(made.result.spec)["spec"]
    except ValueError:
        return None
    return spec if made.is_claimed else spec | {"claim": None}


def _checklist(made: Material) -> Table | None:
    """The table of the checklist, without the column of what follows where nothing does."""
    table = made.result.tables.get("checklist")
    if table is None or any(row[-1] for row in table.rows):
        return table
    return Table(table.caption, table.head[:-1], [row[:-1] for row in table.rows])

"""`report`, which writes a result as a document, and the content of the document."""

import math
import os
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from dpviz import checks
from dpviz.analysis.result import SamplePart
from dpviz.analysis.state.json_state import state_of
from dpviz.analysis.svg import SIZE
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.answer import SUBJECTS, ruler_sentence, sampling_sentence
from dpviz.analysis.topics.claim import short_name
from dpviz.analysis.topics.registry import SCENES, lead_name
from dpviz.drawing.svg import FONTS, WIDTH, SvgFrame, escaped
from dpviz.drawing.theme import INK
from dpviz.number_format import percent, short, upper
from dpviz.pictures.page import ScoreSource, page_title
from dpviz.replace_file import replace_file
from dpviz.reports.formats import COMPARISONS, FORMATS, format_of
from dpviz.reports.groups.question import opendp_variant_name
from dpviz.reports.groups.registry import groups_of
from dpviz.reports.material import ReportData, report_data
from dpviz.reports.model import AuditComparison, Figure, Report
from dpviz.theory import ApproximateDP, ZeroConcentratedDP

RULER_WIDTH, SECOND_WIDTH = 700, 350  # pixels, of the figures on page one
# Scenes below the fields of a group: of an audit, and of a claim without scores.
AUDIT_FIGURES = {
    "epsilon": ("evidence", "bounds"),
    "results": ("tail",),
    "slices": ("slices",),
    "scores": ("scores",),
}
CLAIM_FIGURES = {"theory": ("profile", "risk")}


def report(
    shown: Any,
    path: str | Path | IO[Any],
    *,
    format: str | None = None,  # noqa: A002 - as Matplotlib's savefig names it
    about: Mapping[str, Any] | None = None,
    created: datetime | None = None,
) -> None:
    """Write a result as a document: the answer on page one, then all numbers.

    An audit that is not computed yet is computed first. An existing file is replaced.

    Parameters
    ----------
    shown : Result, Explorer or AuditComparison; the last can be ``.html`` or ``.md`` only
    path : str, Path or open file, which is a binary one for PDF
        The ending of the name chooses the format: ``.html``; ``.md``, also a model card for
        Hugging Face; ``.pdf`` (extra ``pdf``); ``.tex``, a table of the numbers; ``.json``, whose
        schema is ``dpviz/audit/1``.
    format : {"html", "md", "pdf", "tex", "json"}, optional, in place of the ending
    about : mapping, optional
        What only people know, by group and field of `dpviz.reports.ABOUT`, such as
        ``{"subject": {"model_name": "ResNet-18"}, "auditor": {"name": "A. Smith"}}``; instead of
        what ``analyze(about=...)`` was given. What is left out is printed as "not stated".
    created : datetime, optional
        The moment that the document names; left out: now, or what the environment variable
        SOURCE_DATE_EPOCH says, with which the same input gives the same bytes.

    Raises
    ------
    ValueError, if `shown` has no result, a name is unknown, or PDF would go to a text file
    ImportError, for PDF, if WeasyPrint is not installed

    Examples
    --------
    >>> import dpviz, io
    >>> file = io.StringIO()
    >>> dpviz.report(dpviz.analyze(epsilon=1.0), file, format="html")
    >>> "lets an attack catch at most" in file.getvalue()
    True
    """
    is_open, is_text = hasattr(path, "write"), hasattr(path, "encoding")
    if not is_open:
        checks.must_be_a("path", path, str | os.PathLike, "a path or an open file")
    suffix = Path(str(getattr(path, "name", "") if is_open else path)).suffix
    if format is not None:
        suffix = f".{checks.choice('format', format, [each[1:] for each in FORMATS])}"
    if is_open and not suffix:
        raise checks.fail("format", "given for an open file without a name", format)
    if is_text and suffix == ".pdf":
        raise checks.fail("path", "a file in binary mode for PDF", path)
    content = report_as(suffix, shown, about=about, created=created)
    if isinstance(path, str | os.PathLike):
        replace_file(path, content)
    else:
        path.write(content.decode() if is_text else content)


def report_as(suffix: str, shown: Any, **stated: Any) -> bytes:
    """Return the bytes that `report` would write to a file with this `suffix`, such as ".html"."""
    if isinstance(shown, AuditComparison):
        return format_of(suffix, COMPARISONS)(shown)
    return format_of(suffix, FORMATS)(report_of(report_data(shown, **stated)))


def report_of(material: ReportData) -> Report:
    """Return the content of the report on a result, which all formats render."""
    origin = ScoreSource.of(material.scores)
    test = material.sample.audit.test if material.sample else None
    cautions = test.warnings if test else ()
    return Report(
        created=material.created.isoformat(timespec="seconds"),
        version=version("dpviz"),
        state=material.result.answer.state,
        contradicted=material.is_contradicted,
        title=page_title(material.result, origin),
        meta=_line_below_title(material, origin),
        headline=material.result.sentences["answer"],
        lead=_non_empty(*(material.sentences.get(n, "") for n in ("answer_detail", "reading"))),
        plain_words=_outcome_sentences(material),
        not_claimed=_limitation_sentences(material),
        warnings=tuple(dict.fromkeys((*material.warnings, *cautions))),
        checklist=_checklist_table(material),
        groups=groups_of(material),
        figures=_figures(material),
        sentences=material.sentences,
        spec=_spec_for_json(material),
        deployment=_opendp_registry_fields(material),
    )


def _spec_for_json(material: ReportData) -> dict[str, Any] | None:
    """Return the spec as data for JSON; None if a guarantee's class is not in `MECHANISMS`."""
    try:
        spec: dict[str, Any] = state_of(material.result.spec)["spec"]
    except ValueError:
        return None
    return spec if material.is_claimed else spec | {"claim": None}


def _checklist_table(material: ReportData) -> Table | None:
    table = material.result.tables.get("checklist")
    if table is None or any(row[-1] for row in table.rows):
        return table
    return Table(table.caption, table.head[:-1], [row[:-1] for row in table.rows])


def _line_below_title(material: ReportData, origin: ScoreSource | None) -> str:
    """Return the line below the title: model, auditor, date, scores, version of dpviz."""
    about = material.result.spec.about
    stated = (
        about.get("subject", {}).get("model_name"),
        about.get("auditor", {}).get("name"),
        f"{material.created.day} {material.created:%B %Y}",
    )
    parts = ["Privacy claim" if origin is None else "Privacy audit", *filter(None, stated)]
    if origin is not None:
        known = material.scores.provenance if material.scores else None
        digest = (known.sha256 if known else None) or origin.sha256
        parts += [origin.source, f"SHA-256 {digest[:4]}…{digest[-4:]}"]
    return " · ".join([*map(str, parts), f"made by dpviz {version('dpviz')}"])


def _outcome_sentences(material: ReportData) -> tuple[str, ...]:
    """Return sentences that state the outcome in counts of records or people."""
    said, sample = material.sentences, material.sample
    if sample is None:
        return _non_empty(said.get("people", ""), said.get("odds", ""))
    at, place = sample.at_fpr, _best_threshold_sentence(sample) if material.is_contradicted else ""
    compared = (
        f"The {'losses' if at.kind == 'loss' else 'scores'} of {at.n_members} members (records "
        "that the model was trained on) were compared with those of "
        f"{at.n_nonmembers} non-members (other records)."
    )
    names = ("large_delta", "at_one_percent", "cautions")
    return _non_empty(compared, place, *(said.get(name, "") for name in names))


def _limitation_sentences(material: ReportData) -> tuple[str, ...]:
    """Return sentences on what the report does not show, and what it assumes."""
    sample = material.sample
    verdict = "This report does not judge whether the model may be released."
    if sample is None:
        return (
            "The claim was not audited: no scores of an attack were given.",
            "(ε, δ) limits what an attacker can learn; it does not measure what one has learned.",
            verdict,
        )
    star, null = sample.epsilon_star.star, sample.audit.null
    estimate = f"Epsilon* ≈ {short(star.value)} is an estimate, not a bound."
    if null is not None and material.result.spec.method == "empirical":
        most = short(upper(null.quantile("epsilon_star")))
        estimate += f" With this many records chance alone gives up to {most}."
    return (
        f"The answer is about {SUBJECTS[material.result.spec.applies_to]}.",
        "A lower bound cannot show that ε is small: another attack may show a larger ε. A claim "
        "that is not contradicted is not confirmed.",
        estimate,
        sampling_sentence(material.result.spec),
        verdict,
    )


def _best_threshold_sentence(sample: SamplePart) -> str:
    """Return a sentence on the counts at the threshold of strongest evidence, or ""."""
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


def _non_empty(*texts: str) -> tuple[str, ...]:
    return tuple(filter(None, texts))


def _figures(material: ReportData) -> tuple[Figure, ...]:
    """Return the figures of the report: one for each scene that is not empty."""
    # Where nothing is claimed, the plane would show a promise that nobody made.
    second = "scores" if material.sample and not material.is_claimed else "region"
    # Page one has two figures, each group of fields its own ones.
    wanted = [("ruler", "", RULER_WIDTH), (second, "", SECOND_WIDTH)]
    for group, names in (AUDIT_FIGURES if material.sample else CLAIM_FIGURES).items():
        wanted += [(name, group, WIDTH) for name in names if name != second]
    drawn = (each for each in wanted if not SCENES[each[0]].is_empty(material.result))
    return tuple(_figure(material, *each) for each in drawn)


def _figure(material: ReportData, name: str, group: str, width: int) -> Figure:
    scene, said = SCENES[name], material.sentences
    title = scene.title_of(material.result)
    # Drawn as in the explorer; the labels also describe the figure in words.
    frame = SvgFrame(scene, f"figure-{name}", width=width)
    frame.draw_layers(scene.layers(), material.result)
    shown = "; ".join(each.label.text for each in frame.labels())
    lead = ruler_sentence(material.result) if name == "ruler" else said.get(lead_name(scene), "")
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


def _opendp_registry_fields(material: ReportData) -> dict[str, Any]:
    """Return the known facts of the deployment; the keys are those of OpenDP's registry."""
    given, about = material.result.spec.claim, material.result.spec.about
    theory = about.get("theory", {})
    # By part of the registry; what nobody stated is left out below.
    known: dict[str, dict[str, Any]] = {
        "basic": {"name": about.get("subject", {}).get("model_name")},
        "dp_variant": {},
        "privacy_loss": {"privacy_unit": theory.get("unit")},
        "deployment_model": {"model_name": theory.get("deployment_model")},
        "accounting": {"composition": theory.get("composition")},
        "implementation": {},
    }
    if material.is_claimed:
        known["dp_variant"]["variant_name"] = opendp_variant_name(given)
        known["implementation"]["mechanisms"] = short_name(given)
        known["privacy_loss"]["privacy_unit_details"] = f"adjacency: {given.adjacency}"
        if isinstance(given, ZeroConcentratedDP):
            known["privacy_loss"]["privacy_parameters"] = {"rho": given.parameters["rho"]}
        if isinstance(given, ApproximateDP):
            numbers = {"epsilon": given.claimed_epsilon, "delta": given.claimed_delta}
            known["privacy_loss"]["privacy_parameters"] = numbers
    for part, fields in known.items():
        known[part] = {name: value for name, value in fields.items() if value is not None}
    return {part: fields for part, fields in known.items() if fields}

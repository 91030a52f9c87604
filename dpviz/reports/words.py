"""What page one says below the answer: in plain words, and what a report does not claim."""

import math
from importlib.metadata import version

from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.parts import SamplePart
from dpviz.analysis.sentences.answer import ABOUT
from dpviz.pictures.saved.page import Origin
from dpviz.reports.material import Material


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

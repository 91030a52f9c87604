"""The input of a report: a result with its audit, and what users state about the audit."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from dpviz import checks
from dpviz.analysis import Analysis, Result
from dpviz.analysis.facts.about import ABOUT
from dpviz.analysis.result import SamplePart
from dpviz.analysis.topics.registry import SENTENCES
from dpviz.audit import AttackCurve
from dpviz.audit.scores.base import Scores
from dpviz.reports.model import Field

NO_CLAIM = "no claim was given"
NO_SCORES = "no scores were given"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportData:
    """The input of a report: a result with its audit, warnings, and the time of creation."""

    result: Result
    warnings: tuple[str, ...]
    created: datetime

    @property
    def sample(self) -> SamplePart | None:
        """The part of the result that depends on the scores, or None without scores."""
        return self.result.sample

    @property
    def scores(self) -> Scores | None:
        """The audited scores, or None without scores."""
        return self.sample.scores if self.sample else None

    @property
    def is_claimed(self) -> bool:
        """Whether the user claims a guarantee that excludes some attacks."""
        return self.result.is_tested

    @property
    def is_contradicted(self) -> bool | None:
        """Whether the scores contradict the claim, or None if there is no claim or no test."""
        test = self.sample.audit.test if self.sample else None
        return test.outcome == "contradicted" if self.is_claimed and test is not None else None

    @cached_property
    def curve(self) -> AttackCurve | None:
        """Counts of flagged members and non-members at every threshold, or None without scores."""
        return AttackCurve.from_scores(self.scores) if self.scores else None

    @property
    def sentences(self) -> dict[str, str]:
        """The non-empty sentences by name; without a claim, sentences about it are left out."""
        said = {name: text for name, text in self.result.sentences.items() if text}
        if self.is_claimed:
            return said
        return {name: text for name, text in said.items() if not SENTENCES[name].about_claim}

    def stated_fields(self, group: str) -> tuple[Field, ...]:
        """Return a group's fields for facts that users state; the value None means "not stated"."""
        given = self.result.spec.about.get(group, {})
        return tuple(Field(name, label, given.get(name)) for name, label in ABOUT[group].items())


def report_data(
    shown: Any,
    *,
    about: object = None,
    warnings: Iterable[str] = (),
    created: datetime | None = None,
) -> ReportData:
    """Return the input of a report on a result or an explorer, after computing the audit."""
    result = shown if isinstance(shown, Result) else getattr(shown, "result", None)
    if not isinstance(result, Result):
        raise checks.fail("result", "an explorer, or a result of dpviz.analyze", shown)
    if about is not None:
        result = replace(result, spec=result.spec.changed(about=about))
    # The answers that were computed on request stay with the result.
    if result.sample is not None and result.sample.audit.pending:
        analysis = Analysis(result.sample.scores)
        analysis.prepare_audit(result.spec)
        result = replace(analysis.result(result.spec), answers=result.answers)
    moment = creation_time() if created is None else created.astimezone(UTC)
    return ReportData(result=result, warnings=tuple(warnings), created=moment)


def creation_time() -> datetime:
    """Return the current time or, for reproducible reports, the time in SOURCE_DATE_EPOCH."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        raise checks.fail("SOURCE_DATE_EPOCH", "whole seconds since 1970-01-01", seconds) from None

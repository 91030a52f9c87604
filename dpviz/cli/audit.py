"""``dpviz audit``: read scores, compute the audit, print and write it."""

import math
import os
import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.analysis import Analysis, Spec, read_facts
from dpviz.analysis.attacks import Attacks
from dpviz.audit.scores.base import SCORE_KINDS, Scores
from dpviz.claims import read_claim
from dpviz.claims.readers.plain import TEXT_FORMS, numeric_mechanisms, parameter_types
from dpviz.cli.exit_code import EXIT_CODES_HELP, MIN_POWER, gate_of, limit_test_of
from dpviz.cli.text import audit_text
from dpviz.data import check_inputs, read_scores
from dpviz.data.sources.options import MISSING_CHOICES, ColumnError
from dpviz.documents import read_toml_or_yaml
from dpviz.number_format import short
from dpviz.replace_file import replace_file
from dpviz.reports import ABOUT as STATEMENTS
from dpviz.reports.compare import RECORDS
from dpviz.reports.formats import FORMATS, format_of
from dpviz.reports.material import ReportData, report_data
from dpviz.reports.receipt import read_receipt
from dpviz.reports.write import report_of

STANDARD_OUTPUT = "-"
ABOUT_AUDIT = """\
Bound epsilon from the scores of an attack, and test a claim if one is given.
Each record has one score or loss; a member is a record of the training set.
Only the lower bound is a bound; every estimate is labelled as an estimate.
"""
CLAIMS = """\
claims:
  1.0,1e-5            epsilon 1 and delta 1e-5; 1.0 alone is pure epsilon
  gaussian_dp:mu=1.2  a guarantee with its numbers, from the list below; short
                      names are gdp, zcdp, rdp, dpsgd, eps, sigma, sample_rate;
                      adjacency=add_remove may be added
  dpsgd:sigma=1,sample_rate=0.01,steps=1000
                      DP-SGD with Poisson samples; samples without replacement:
                      add sampling=fixed_size,adjacency=replace_one
  report.json         the claim of a report or a state that dpviz wrote
guarantees and their numbers:
"""
ABOUT_OTHERS = """\
The answer and the exit code are about SCORES. A lower bound from the best of
all attacks follows the answer; it is corrected for the choice of the best.
"""
EXAMPLES_OF_AUDIT = """\
examples:
  dpviz audit losses.csv
  dpviz audit losses.parquet --delta 1e-5 --claim 1.0,1e-5 --prior 0.01
  dpviz audit scores.csv --score confidence --kind score --member in_train
  dpviz audit losses.csv --claim 8,1e-5 --must-detect 20 --json audit.json
  dpviz audit losses.csv --claim 1.0,1e-5 --report report.html
  dpviz audit losses.csv --json - | jq .epsilon.lower_bound.value
  dpviz audit train.npy test.npy --claim 1.0,1e-5
  dpviz audit losses.csv --compare LiRA=lira.csv --records same
"""
APPLIES_TO_HINT = (
    "the claim is about one record added or removed, and is converted to one record replaced; give "
    "--applies-to instance if the records are training and hold-out data of one model, or "
    "--sampling if membership was drawn to audit a mechanism"
)
LIMITED = ("accuracy", "advantage", "tpr")
HIGH_OR_LOW = {"score": "a high number", "loss": "a low number"}
METAVARS = {"confidence_level": "LEVEL", "naming": "NAMING"}
# What the help says of options; fields of the spec say it themselves.
OPTION_HELP = {
    "source": "a file or a folder (see dpviz formats), or two files: members, then non-members",
    "facts": "a TOML or YAML file with answers to the validity checklist; see dpviz facts",
    "protocol": "a receipt of dpviz register; it sets the options that are not given here, and "
    "every difference from the plan is listed",
    "must_detect": "an epsilon above the claim's that the test must be able to detect: the exit "
    "code is 3 unless the best attack on noise with this epsilon contradicts the claim with "
    "probability --min-power; the noise is Gaussian at the claim's delta, Laplace if that is 0",
    "min_power": f"the probability that --must-detect requires, in (0, 1); default {MIN_POWER}",
    "at_most": "a number that this attack must be shown not to exceed: accuracy, advantage or tpr, "
    "as in accuracy=0.525, at --prior and --fpr (default 0.01); the exit code is 5 if this is not "
    "shown, and 3 if even an attack that knows nothing usually does not show it on so few records",
    "full": "print all sentences and numbers below the answer",
    "json": 'also write the audit as JSON, schema "dpviz/audit/1"; "-" prints the JSON alone, to '
    "standard output; equal input gives equal bytes if SOURCE_DATE_EPOCH is set",
    "report": "also write a report, whose page one is a summary; the ending of the name is the "
    f"format: {', '.join(FORMATS)}; may be given several times",
    "about": "a TOML or YAML file with statements for the report that no data show: tables "
    f"{', '.join(STATEMENTS)}; see dpviz.reports.ABOUT",
    "missing": "rows that lack a value are an error, or are dropped; default %(default)s",
    "memory_limit": "memory for reading; a file that needs more is streamed; default a quarter of "
    "the free memory",
    "compare": "the name of another attack and the file of its scores; membership is read as in "
    "SCORES; may be given several times",
    "records": "whether all attacks scored the same records in the same order; default same if the "
    "scores are columns of one file, else no assumption",
}
# Fields of the spec that have an option, and options that a registered protocol fills in.
SPEC_OPTIONS = {f.name: f for f in fields(Spec) if f.metadata["setting"].option}
OPTIONS_OF_PROTOCOL = (
    *("claim", "delta", "confidence_level", "applies_to", "sampling", "neighbours"),
)


def add_audit(new_command: Callable[..., ArgumentParser]) -> None:
    """Call `new_command` to create the parser of ``dpviz audit``, and add its options."""
    guarantees = "\n".join(
        f"  {key:<20}{', '.join(parameter_types(f))}" for key, f in numeric_mechanisms().items()
    )
    summary = "bound epsilon and test a claim with attack scores"
    epilog = f"{CLAIMS}{guarantees}\n\n{EXAMPLES_OF_AUDIT}\n{EXIT_CODES_HELP}"
    command = new_command("audit", run_audit, summary, ABOUT_AUDIT, epilog=epilog)
    command.add_argument("source", metavar="SCORES", nargs="+", help=OPTION_HELP["source"])
    question = command.add_argument_group("question")
    question.add_argument("--claim", metavar="CLAIM", help=f"{TEXT_FORMS}, or a file: see below")
    # Fields of the spec declare their options; those of a protocol have no default here.
    for name, field in SPEC_OPTIONS.items():
        setting, default = field.metadata["setting"], field.default
        words: dict[str, Any] = {"choices": setting.choices} if setting.choices else {"type": float}
        words |= {"metavar": METAVARS[name]} if name in METAVARS else {}
        words |= {} if name in OPTIONS_OF_PROTOCOL else {"default": default}
        option, text = f"--{name.replace('_', '-')}", setting.option.format(default=default)
        question.add_argument(option, help=text, **words)
    for name, metavar in (("must_detect", "EPS"), ("min_power", "P")):
        given: dict[str, Any] = {"type": float, "metavar": metavar, "help": OPTION_HELP[name]}
        question.add_argument(f"--{name.replace('_', '-')}", **given)
    question.add_argument("--at-most", metavar="NAME=VALUE", help=OPTION_HELP["at_most"])
    meaning = "test the claim even if the scores look reversed"
    question.add_argument("--as-is", action="store_true", help=meaning)
    for name in ("facts", "protocol"):
        question.add_argument(f"--{name}", metavar="PATH", help=OPTION_HELP[name])
    add_reading_options(command)
    _add_comparison_options(command)
    written = command.add_argument_group("output")
    written.add_argument("--full", action="store_true", help=OPTION_HELP["full"])
    written.add_argument("--json", metavar="PATH", help=OPTION_HELP["json"])
    several: dict[str, Any] = {"action": "append", "default": []}
    written.add_argument("--report", metavar="PATH", help=OPTION_HELP["report"], **several)
    written.add_argument("--about", metavar="PATH", help=OPTION_HELP["about"])


def add_reading_options(command: ArgumentParser) -> None:
    """Add the options for reading a file of scores."""
    add = command.add_argument_group("how the file is read").add_argument
    add("--score", metavar="COLUMN", help="column of the scores or losses")
    add("--member", metavar="COLUMN", help="column that tells members from non-members")
    add("--kind", choices=SCORE_KINDS, help="low = member (loss), or high = member (score)")
    add("--swap", action="store_true", help="exchange members and non-members after reading")
    add("--missing", choices=MISSING_CHOICES, default="refuse", help=OPTION_HELP["missing"])
    add("--group", metavar="COLUMN", help="column with the group of each record")
    add("--memory-limit", metavar="BYTES", type=int, help=OPTION_HELP["memory_limit"])


def _add_comparison_options(command: ArgumentParser) -> None:
    add = command.add_argument_group("other attacks on the same model", ABOUT_OTHERS).add_argument
    several: dict[str, Any] = {"action": "append", "default": []}
    add("--compare", metavar="NAME=PATH", help=OPTION_HELP["compare"], **several)
    for name, value in (("score", "COLUMN"), ("kind", "KIND")):
        add(f"--{name}-of", metavar=f"NAME={value}", help=f"--{name} for this attack", **several)
    add("--records", choices=RECORDS, help=OPTION_HELP["records"])


def run_audit(chosen: Namespace) -> int:
    """Print the audit and write its files; return the exit code."""
    said = (chosen.protocol, chosen.applies_to, chosen.sampling, chosen.neighbours)
    chosen = with_protocol_options(chosen)
    spec = spec_of(chosen)
    if not any(said) and spec.claim.adjacency == "add_remove":
        sys.stderr.write(f"dpviz: note: {APPLIES_TO_HINT}\n")
    # Bad paths are errors before the audit is computed.
    formats = {path: format_of(Path(path).suffix, FORMATS) for path in chosen.report}
    if chosen.json is not None:
        formats[chosen.json] = FORMATS[".json"]
    for path in formats:
        for each in (*chosen.source, *(given.partition("=")[2] for given in chosen.compare)):
            _refuse_to_overwrite_scores(path, each)
    material = compute_audit(chosen, spec)
    if formats:
        report = report_of(material)
        for path, write in formats.items():
            _write_output(path, write(report))
    if chosen.json != STANDARD_OUTPUT:
        sys.stdout.write(audit_text(material, full=chosen.full))
    return int(material.result.answers["gate"].exit_code)


def with_protocol_options(chosen: Namespace) -> Namespace:
    """Return the options; those that the user omitted are set from the --protocol file."""
    receipt = None if chosen.protocol is None else read_receipt(chosen.protocol)
    filled = Namespace(**vars(chosen), receipt=receipt)
    # An option for whose epsilon it is replaces the planned sampling, and the other way round.
    names = set(OPTIONS_OF_PROTOCOL)
    names -= {"sampling", "applies_to"} if chosen.sampling or chosen.applies_to else set()
    for name in names if receipt else ():
        if getattr(chosen, name) is None:
            setattr(filled, name, getattr(receipt, name))
    return filled


def spec_of(chosen: Namespace) -> Spec:
    """Return the `Spec` of the options; ValueError for illegal or contradictory options."""
    # No claim is written as epsilon = ∞, which allows every attack.
    options = {name: getattr(chosen, name) for name in SPEC_OPTIONS}
    changes: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if chosen.claim is None:
        changes["epsilon"] = math.inf
    else:
        changes["claim"] = claim = read_claim(chosen.claim).guarantee
        claimed = claim.parameters.get("delta")
        if None not in (claimed, chosen.delta) and claimed != chosen.delta:
            raise checks.fail("delta", f"{claimed:g}, as in the claim, or left out", chosen.delta)
    if chosen.facts is not None:
        changes["facts"] = read_facts(chosen.facts)
    if chosen.about is not None:
        changes["about"] = read_toml_or_yaml("about", chosen.about)
    return Spec.of(**changes)


def compute_audit(chosen: Namespace, spec: Spec) -> ReportData:
    """Read the scores, compute the audit, and return the input of a report on the audit."""
    target = _target_of(chosen.at_most)
    # Reading comes first: its warnings are also part of the report.
    with _warnings_on_stderr() as warned:
        columns = {"score": chosen.score, "kind": chosen.kind, "group": chosen.group}
        scores = read_score_files(chosen.source, chosen, **columns)
        same_records = None if chosen.records is None else chosen.records == "same"
        spec = spec.changed(compare=read_compared_attacks(chosen), same_records=same_records)
        analysis = Analysis(scores)
        analysis.prepare_audit(spec)
        result = analysis.result(spec).with_answer("inputs", check_inputs(scores))
    if chosen.receipt is not None:
        compared = chosen.receipt.compared(result)
        result = result.with_answer("protocol", compared)
        warned += [f"not as registered: {each}" for each in compared.differences]
    material = report_data(result, warnings=warned)
    if result.sample is None:
        raise RuntimeError("an audit must have scores, got none")
    if material.is_claimed and material.is_contradicted is None:
        reason = dict(result.sample.audit.refused).get("test", "it was not computed")
        raise ValueError(f"the claim {chosen.claim} cannot be tested: {reason}")
    # A pipeline must not pass because an attack that points the wrong way contradicts nothing.
    area = result.sample.rates.auc
    if material.is_claimed and area.high < 0.5 and not chosen.as_is:
        other = "score" if scores.kind == "loss" else "loss"
        raise ValueError(
            f"the scores look reversed (AUC {short(area.value)}); give --kind {other} if "
            f"{HIGH_OR_LOW[other]} means member, --swap if members and non-members are "
            "exchanged, or --as-is to test the claim with unchanged scores"
        )
    result = material.result.with_answer("limit_test", limit_test_of(result, target))
    gate = gate_of(result, must_detect=chosen.must_detect, min_power=chosen.min_power)
    return replace(material, result=result.with_answer("gate", gate))


def _target_of(given: str | None) -> dict[str, float]:
    """Return the target of ``--at-most`` by name; empty if none is given."""
    if given is None:
        return {}
    name, _, value = given.partition("=")
    try:
        target = {name: float(value)}
    except ValueError:
        target = {}
    if name not in LIMITED or not target:
        raise checks.fail("at_most", f"NAME=NUMBER with one of {', '.join(LIMITED)}", given)
    return target


@contextmanager
def _warnings_on_stderr() -> Iterator[list[str]]:
    """Print each warning in the ``with`` block to stderr, and add its text to the yielded list."""
    texts: list[str] = []

    def print_and_keep(message: Warning | str, *_about: object, **_more: object) -> None:
        texts.append(" ".join(str(message).split()))
        sys.stderr.write(f"dpviz: warning: {texts[-1]}\n")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = print_and_keep
        yield texts


def read_score_files(paths: Sequence[str], chosen: Namespace, **columns: Any) -> Scores:
    """Read scores from one file, or from a file of members and a file of non-members."""
    if len(paths) > 2:
        raise checks.fail("SCORES", "one file, or two files (members, non-members)", len(paths))
    common = {name: getattr(chosen, name) for name in ("member", "missing", "memory_limit")}
    source = paths[0] if len(paths) == 1 else tuple(paths)
    scores = read_scores(source, **columns, **common)
    return scores.swapped() if chosen.swap else scores


def read_compared_attacks(chosen: Namespace) -> Attacks:
    """Return the attacks of ``--compare``; ValueError if another option names an unknown attack."""
    paths = _values_by_name("compare", chosen.compare)
    columns = _values_by_name("score-of", chosen.score_of)
    kinds = _values_by_name("kind-of", chosen.kind_of)
    for option, names in (("score-of", columns), ("kind-of", kinds)):
        for name in names:
            if name not in paths:
                raise checks.fail(option, "for an attack that is named in --compare", name)
    if chosen.records is not None and not paths:
        raise checks.fail("records", "given only with --compare", chosen.records)
    return Attacks(
        {
            name: _read_attack(name, path, chosen, columns.get(name), kinds.get(name))
            for name, path in paths.items()
        }
    )


def _values_by_name(option: str, values: Iterable[str]) -> dict[str, str]:
    """Return the values of a NAME=VALUE option by name; ValueError if a name is given twice."""
    by_name: dict[str, str] = {}
    for given in values:
        name, _, value = given.partition("=")
        if not (name and value):
            raise checks.fail(option, "NAME=VALUE", given)
        if name in by_name:
            raise checks.fail(option, "given at most once for each attack", given)
        by_name[name] = value
    return by_name


def _read_attack(
    name: str, path: str, chosen: Namespace, column: str | None, kind: str | None
) -> Scores:
    """Read the scores of attack `name` from file `path`; warnings and errors name the attack."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            scores = read_score_files([path], chosen, score=column, kind=kind)
        except ColumnError as error:
            if error.role not in ("score", "kind"):
                raise
            # The advice names the option that belongs to this attack.
            value = "|".join(error.choices) if error.role == "kind" else "COLUMN"
            raise ValueError(f"{error} (here: --{error.role}-of {name}={value})") from error
    for warning in caught:
        warnings.warn(f"{name}: {warning.message}", stacklevel=2)
    return scores


def _refuse_to_overwrite_scores(path: str, scores_path: str) -> None:
    if path == STANDARD_OUTPUT or not (os.path.exists(path) and os.path.exists(scores_path)):
        return
    # One file may have several paths, through links for example.
    if os.path.samefile(path, scores_path):
        raise checks.fail("path", "a file other than the scores", path)


def _write_output(path: str, content: bytes) -> None:
    if path != STANDARD_OUTPUT:
        replace_file(path, content)
        return
    # JSON is UTF-8, whatever the encoding of the terminal.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(content.decode())

"""``python -m dpviz``: what it prints, writes and exits with."""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import dpviz
from dpviz.analysis.topics.registry import SCENES, text_names
from dpviz.claims.readers.plain import numeric_mechanisms
from dpviz.cli import main
from dpviz.cli.command import parser
from dpviz.data.conventions import conventions
from dpviz.data.formats.registry import file_suffixes
from dpviz.data.samples import FOLDER
from dpviz.theory import GaussianDP

LEAKY = str(FOLDER / "overfitted.csv")
COMMAND = [sys.executable, "-m", "dpviz"]
SMALL = "loss,member\n0.1,1\n0.2,1\n0.3,1\n0.4,1\n0.25,0\n0.5,0\n0.6,0\n0.7,0\n"


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        return " ".join(self.out.split())

    @property
    def json(self) -> Any:
        return strict_json(self.out)


def run(*arguments: str) -> Run:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return Run(code, out.getvalue(), err.getvalue())


def strict_json(text: str) -> Any:
    def refuse(token: str) -> None:
        raise ValueError(f"{token} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.csv"
    path.write_text(SMALL)
    return str(path)


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Any]:
    """The text and the JSON of the same audit."""
    path = tmp_path_factory.mktemp("cli") / "out.json"
    asked = ("--full", "--claim", "1.0,1e-5", "--prior", "0.01", "--json", str(path))
    return run("audit", LEAKY, *asked), strict_json(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def result() -> dpviz.Result:
    """What the explorer shows of the same numbers, read in another way."""
    loss, member = np.loadtxt(LEAKY, delimiter=",", skiprows=1, usecols=(0, 1), unpack=True)
    losses = (loss[member == 1], loss[member == 0])
    return dpviz.analyze(losses, epsilon=1.0, delta=1e-5, prior=0.01)


# The command itself, as a pipeline starts it.


def test_a_pipeline_gates_on_a_contradiction(tmp_path: Path) -> None:
    command = shlex.join([*COMMAND, "audit", LEAKY, "--claim", "1.0,1e-5"])
    gate = subprocess.run(
        f'{command} > report.txt || echo "stopped with $?"',
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert gate.stdout == "stopped with 1\n"
    assert gate.stderr == ""
    written = (tmp_path / "report.txt").read_text("utf-8")
    assert written.startswith("The losses contradict the claim ε = 1.\n")


def test_what_is_not_contradicted_exits_with_0() -> None:
    done = run("audit", LEAKY, "--claim", "5.0,1e-5")
    assert done.code == 0
    assert done.out.startswith("These losses do not contradict ε = 5.")


def test_what_cannot_be_decided_exits_with_3(small: str) -> None:
    done = run("audit", small, "--claim", "1.0,1e-5")
    assert done.code == 3
    assert done.out.startswith(
        "These losses cannot decide whether ε = 1 holds.\nEven a perfect attack on so few records"
    )
    assert "The gate cannot decide: dpviz plan estimates how many records are enough." in done.words
    # By hand: under Gaussian DP μ = 1, four members all above four non-members have probability
    # above 5 %: that of the sum below, P(the lowest member > the highest non-member).
    x = np.linspace(-8, 8, 20_001)
    chance = np.trapezoid(norm.sf(x - 1) ** 4 * 4 * norm.cdf(x) ** 3 * norm.pdf(x), x)
    assert chance > 0.05
    curve = run("audit", small, "--claim", "gaussian_dp:mu=1", "--json", "-")
    detail = "Even a perfect attack on so few records gives p = 0.134."
    assert curve.json["sentences"]["answer_detail"].startswith(detail)
    assert chance == pytest.approx(0.134, abs=3 * np.sqrt(chance / 4000))
    assert curve.code == 3
    gate = {name: field["value"] for name, field in curve.json["gate"].items()}
    assert gate == {"outcome": "cannot decide", "exit_code": 3}
    assert run("audit", small).code == 0


SAMPLES = {
    "no leak, few": (np.arange(0.0, 8, 2), np.arange(1.0, 8, 2)),
    "no leak, more": (np.arange(0.0, 60, 2), np.arange(1.0, 60, 2)),
    "all leaks": (np.arange(30.0), np.arange(30.0, 60)),
    "unequal": (np.arange(3.0), np.arange(1.5, 40)),
}
CLAIMS = (
    *("1,1e-5", "gdp:mu=0.1", "gdp:mu=1,adjacency=add_remove"),
    *("0.1,0", "1.0", "6,1e-5", "1,1e-5,add_remove", "gdp:mu=1", "gdp:mu=3", "zcdp:rho=0.5"),
    *("laplace:epsilon=1", "dpsgd:sigma=1,sample_rate=0.1,steps=10"),
)


@pytest.mark.parametrize(
    ("sample", "claims"),
    [
        ("no leak, few", CLAIMS[:3]),
        *(pytest.param(sample, CLAIMS, marks=pytest.mark.slow) for sample in SAMPLES),
    ],
)
def test_result_gate_and_exit_code_agree(
    tmp_path: Path, sample: str, claims: tuple[str, ...]
) -> None:
    """They say "cannot decide" if the claim stands, and would do so after a perfect attack."""
    member, nonmember = SAMPLES[sample]
    scores = dpviz.AttackScores.from_losses(member, nonmember)
    perfect = dpviz.AttackScores(nonmember.size + np.arange(member.size), np.arange(nonmember.size))
    file, codes = tmp_path / "losses.csv", {"not contradicted": 0, "contradicted": 1}
    rows = [*(f"{x},1" for x in member), *(f"{x},0" for x in nonmember)]
    file.write_text("\n".join(["loss,member", *rows]))
    for claim in claims:
        result = dpviz.analyze(scores, claim=claim)
        best = dpviz.audit.claim_test(perfect, result.claim.claim, neighbours="replace_one")
        outcome, is_undecided = result.outcome, best.outcome == "not contradicted"
        assert (outcome == "cannot decide") == is_undecided
        for sentence in ("answer", "answer_detail", "against"):
            words = "a perfect attack" if sentence == "answer_detail" else "cannot decide"
            assert (words in result.sentences[sentence]) == is_undecided
        done = run("audit", str(file), "--claim", claim, "--json", "-")
        assert (done.json["answer"], done.json["gate"]["outcome"]["value"]) == (outcome, outcome)
        assert done.code == done.json["gate"]["exit_code"]["value"] == codes.get(str(outcome), 3)


@pytest.mark.slow
def test_a_gate_requires_power(tmp_path: Path) -> None:
    """The power is the share of audits that the best attack on noise wins, here counted."""
    rng, path, n = np.random.default_rng(4), tmp_path / "some.csv", 40
    lines = [f"{x},{int(i < n)}" for i, x in enumerate(rng.normal(size=2 * n))]
    path.write_text("\n".join(["loss,member", *lines]))
    asked = ("audit", str(path), "--claim", "0.5,0", "--must-detect", "2", "--json", "-")
    enough = run(*asked, "--min-power", "0.3")
    gate = {name: field["value"] for name, field in enough.json["gate"].items()}
    assert (enough.code, gate["exit_code"], gate["must_detect"]) == (0, 0, 2.0)
    found = 0
    for seed in range(50):
        drawn = np.random.default_rng(seed).laplace(size=(2, n))
        scores = dpviz.AttackScores(member=drawn[0] + 2.0, nonmember=drawn[1])
        found += dpviz.audit.lower_bound(scores, delta=0.0).low > 0.5
    assert abs(found / 50 - gate["power"]) < 0.1  # a power of 99.7 %
    too_little = run(*asked, "--min-power", "0.999")
    assert too_little.code == 3
    assert too_little.json["gate"]["outcome"]["value"] == "cannot decide"
    assert too_little.json["answer"] == "not contradicted"
    assert "99.9 % is required. The gate cannot decide" in too_little.json["sentences"]["gate"]


def written(path: Path, member: np.ndarray, nonmember: np.ndarray) -> str:
    """The name of a file with these losses."""
    rows = [*(f"{x},1" for x in member), *(f"{x},0" for x in nonmember)]
    path.write_text("\n".join(["loss,member", *rows]))
    return str(path)


def test_a_gate_requires_a_limit_from_above(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(6), tmp_path / "losses.csv"
    losses = written(path, *rng.normal(size=(2, 400)))
    high = dpviz.audit.at_most(dpviz.read_scores(losses)).accuracy.high
    shown = run("audit", losses, "--at-most", f"accuracy={high + 1e-6}", "--json", "-")
    assert (shown.code, shown.json["at_most"]["outcome"]["value"]) == (0, "shown")
    assert shown.json["at_most"]["accuracy"]["value"] == high
    few = run("audit", losses, "--at-most", "accuracy=0.51")
    assert few.code == 3
    assert "even an attack that knows nothing has a limit above 54" in few.words
    assert "says nothing about other attacks, nor about the mechanism" in few.words
    # Higher losses of some non-members: more than an attack that knows nothing shows.
    losses = written(path, rng.normal(-1, 1, 400), rng.normal(0, 1, 400))
    leak = run("audit", losses, "--at-most", "accuracy=0.6")
    assert leak.code == 5
    assert "Contradicted: accuracy at most 60 %. If half of the records are" in leak.words
    # A contradicted claim is the more urgent answer.
    assert run("audit", losses, "--at-most", "accuracy=0.6", "--claim", "0.1,0").code == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["auc=0.6"], "at_most must be NAME=NUMBER with one of accuracy, advantage, tpr, got"),
        (["accuracy=52.5%"], "at_most must be NAME=NUMBER"),
        (["accuracy"], "at_most must be NAME=NUMBER"),
        (["accuracy=0.5"], "accuracy must be in (0.5, 1), got 0.5"),
        (["tpr=0.2", "--sampling", "fair_coins"], "the scores of one training run depend on each"),
    ],
)
def test_what_is_no_limit_from_above_is_refused(small: str, given: list[str], message: str) -> None:
    done = run("audit", small, "--at-most", *given)
    assert done.code == 2
    assert message in done.err


def test_what_is_contradicted_needs_no_power() -> None:
    assert run("audit", LEAKY, "--claim", "1,1e-5", "--must-detect", "1.1").code == 1


def test_a_plan_passes_the_gate(tmp_path: Path) -> None:
    question = ("--claim", "0.5,0", "--must-detect", "4")
    planned = run("plan", *question)
    assert planned.code == 0
    n = int(re.search(r"About (\d+) members and \1 non-members", planned.out)[1])
    assert "the best attack on Laplace noise with ε = 4 at δ = 0" in planned.words
    for size, code in ((n, 0), (n // 2, 3)):
        path = tmp_path / f"{size}.csv"
        path.write_text("\n".join(["loss,member", *(f"{i},{i % 2}" for i in range(2 * size))]))
        assert run("audit", str(path), *question).code == code


def test_what_cannot_be_planned_is_refused() -> None:
    # A member added or removed at ε = 1 is one replaced at ε = 2, which is tested.
    added = run("plan", "--claim", "pure:epsilon=1,adjacency=add_remove", "--must-detect", "2")
    assert added.code == 2
    assert "must_detect must be above the ε of the claim (2 at δ = 0), got 2.0" in added.err
    neither = run("plan", "--claim", "1,1e-5")
    assert neither.err == "dpviz: error: dpviz plan must have either SCORES or --must-detect EPS\n"


@pytest.mark.slow
def test_a_plan_of_other_claims_and_of_a_first_attack() -> None:
    curve = run("plan", "--claim", "gaussian_dp:mu=1", "--must-detect", "10")
    assert re.match(r"About \d+ members and \d+ non-members are enough to contradict", curve.out)
    assert "Use new records" not in curve.words
    first = run("plan", LEAKY, "--claim", "1,1e-5")
    assert first.code == 0
    assert "Audit new records: this plan used the present scores." in first.words


@pytest.mark.slow
def test_an_add_remove_claim_is_tested_as_it_stands_for_a_canary_in_and_out(
    tmp_path: Path,
) -> None:
    """Laplace noise of 1.8: more than the claim, less than the 2 of two steps."""
    rng, path = np.random.default_rng(0), tmp_path / "canary.csv"
    rows = [(score, 1) for score in rng.laplace(1.8, 1, 1000)]
    rows += [(score, 0) for score in rng.laplace(0.0, 1, 1000)]
    path.write_text("score,member\n" + "\n".join(f"{score!s},{x}" for score, x in rows))
    claim = "pure:epsilon=1,adjacency=add_remove"
    asked = ("audit", str(path), "--kind", "score", "--claim", claim)
    canary = run(*asked, "--sampling", "independent_trainings")
    assert (canary.code, canary.err) == (1, "")
    assert "under add/remove adjacency; under replace-one, the answer is the same." in canary.words
    one_model = run(*asked)
    assert one_model.code == 0
    assert "--sampling if membership was drawn to audit a mechanism" in one_model.err
    assert run(*asked, "--applies-to", "instance").err == ""
    assert "add/remove, so it allows ε = 2, δ = 0 if a record is replaced." in one_model.words
    assert "replace-one, it allows ε = 1, δ = 0; that is contradicted" in one_model.words
    chosen = run(*asked, "--neighbours", "add_remove")
    assert (chosen.code, chosen.err) == (1, "")


def test_what_records_are_is_asked_before_they_are_read(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.csv")
    done = run("audit", missing, "--claim", "pure:epsilon=1,adjacency=add_remove")
    asked, refused = done.err.splitlines()
    assert asked.startswith("dpviz: note: the claim is about one record added or removed")
    assert "--sampling if membership was drawn" in asked
    assert refused.endswith("none.csv: No such file or directory")


def test_two_files_are_of_members_and_of_nonmembers(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    paths = [str(tmp_path / name) for name in ("train.npy", "test.npy")]
    for path, mean in zip(paths, (0.0, 6.0), strict=True):
        np.save(path, rng.normal(mean, 1.0, (200, 1)))
    found = run("audit", *paths, "--claim", "1.0,1e-5")
    assert found.code == 1
    assert "losses of members from train.npy, of non-members from test.npy" in found.out
    assert run("audit", *paths[::-1], "--claim", "1.0,1e-5").code == 2  # they look reversed
    assert "got 3" in run("audit", *paths, "more.npy").err
    assert "a file other than the scores" in run("audit", *paths, "--json", paths[1]).err


def test_bad_input_exits_with_2_and_one_line() -> None:
    done = run("audit", "nowhere.csv", "--claim", "1.0,1e-5")
    assert done == Run(2, "", "dpviz: error: nowhere.csv: No such file or directory\n")


# What is printed.


def test_it_begins_with_the_answer_and_the_ruler(leaky: tuple[Run, Any]) -> None:
    short = run("audit", LEAKY, "--claim", "1.0,1e-5")
    assert short.code == 1
    answer, ruler, people, read, more = short.out.split("\n\n")
    assert answer.splitlines()[0] == "The losses contradict the claim ε = 1."
    assert (
        "The losses certify ε ≥ 2.76 for this trained model (95 % confidence, δ = 1e-5)."
        in short.words
    )
    rows = {line[:12].strip(): line[12:] for line in ruler.splitlines()}
    assert [*rows] == ["claimed", "certified", "chance alone", "Epsilon*", "ceiling", "ε"]
    # On one axis: the bar of the bound is 2.76 times as long as the claim is far from 0.
    place = rows["claimed"].index("|") - 1
    assert rows["certified"].count("=") == pytest.approx(2.76 * place, abs=2.76 / 2 + 0.5)
    assert rows["Epsilon*"].split() == ["o", "4.63,", "an", "estimate"]
    assert rows["chance alone"].endswith("up to about 2.02")  # an estimate: no sign of a bound
    # 5 of the 300 members have a loss below that of all but 14 (0.94 %) of the non-members.
    assert "At FPR 1 % this attack catches 1.67 % of the members (5 of 300, an estimate)" in people
    assert read == str(dpviz.read_scores(LEAKY))
    assert "--full" in more
    assert leaky[0].out.startswith(f"{answer}\n\n{ruler}\n\n{people}\n\n{read}\n\n")
    assert leaky[1]["answer"] == "contradicted"


def test_reversed_scores_are_no_gate(tmp_path: Path) -> None:
    path = tmp_path / "reversed.csv"
    rng = np.random.default_rng(3)
    member = np.repeat([1, 0], 200)
    lines = [f"{x},{m}" for x, m in zip(rng.normal(1.5 * member), member, strict=True)]
    path.write_text("\n".join(["loss,member", *lines]))
    asked = ("audit", str(path), "--claim", "0.1,1e-5")
    done = run(*asked)
    assert (done.code, done.out) == (2, "")
    assert all(option in done.err for option in ("--kind score", "--swap", "--as-is"))
    assert run(*asked, "--kind", "score").code == 1
    assert run(*asked, "--swap").code == 1
    assert run(*asked, "--as-is").code == 0
    assert run("audit", str(path)).code == 0  # without a claim there is no gate


def test_it_says_what_the_explorer_says_in_its_order(
    leaky: tuple[Run, Any], result: dpviz.Result
) -> None:
    names = [name for scene in SCENES.values() for name in text_names(scene)]
    said = [result.sentences[name] for name in dict.fromkeys(names) if result.sentences.get(name)]
    places = [leaky[0].words.index(text) for text in said]
    assert len(said) >= 15
    assert places == sorted(places)
    assert all(leaky[0].words.count(text) == 1 for text in said)


def test_each_view_is_headed_by_its_title(leaky: tuple[Run, Any], result: dpviz.Result) -> None:
    lines = leaky[0].out.splitlines()
    titles = [
        each.title_of(result)
        for key, each in SCENES.items()
        if key not in ("both_ends", "roc", "tail") and not each.is_empty(result)
    ]
    assert [line for line in lines if line in titles] == titles


def test_lines_fit_a_terminal_but_those_about_the_data(leaky: tuple[Run, Any]) -> None:
    read = str(dpviz.read_scores(LEAKY)).splitlines()
    assert max(len(line) for line in leaky[0].out.splitlines() if line not in read) <= 80


def test_no_estimate_looks_like_a_bound(leaky: tuple[Run, Any]) -> None:
    table = leaky[0].out.split("Numbers (δ = 1e-5)\n")[1]
    rows = re.split(r"\n  (?! )", table.strip())
    about = {re.split(r"  +", row.strip())[0]: row for row in rows}
    assert [name for name, row in about.items() if "at least" in row] == ["lower bound on ε"]
    estimates = {name for name, row in about.items() if "estimate" in row}
    measured = {"Epsilon*", "raw ε", "AUC", "advantage", "TPR at FPR 69.7 %", "PPV at prior 1 %"}
    assert estimates == measured
    assert "95 of 100 cases where nothing leaks" in " ".join(about["raw ε by chance"].split())


def test_without_a_claim_none_is_spoken_of(small: str) -> None:
    done = run("audit", small, "--full")
    assert done.code == 0
    assert "No claim was tested. The option --claim" in done.out
    assert not re.search(r"the claim|The claim|claimed|ε = ∞|ε = 1\b", done.out)
    assert "Even a perfect attack on this many records" in done.words
    found = run("audit", small, "--json", "-").json
    assert found["contradicted"] is None
    assert found["spec"]["claim"] is None
    assert found["claim"]["epsilon"]["value"] is None
    assert found["spec"]["delta"] == 1e-5


# The JSON.


def test_the_json_is_of_the_same_result(leaky: tuple[Run, Any], result: dpviz.Result) -> None:
    written = leaky[1]
    assert written["sentences"] == {k: text for k, text in result.sentences.items() if text}
    assert written["contradicted"] is True
    sample = result.sample
    assert sample is not None
    assert sample.audit.bound is not None
    assert sample.audit.null is not None
    epsilon, results = written["epsilon"], written["results"]
    assert epsilon["lower_bound"]["value"] == sample.audit.bound.low
    assert epsilon["lower_bound"]["confidence_level"] == 0.95
    assert written["consistency"]["margin"]["value"] == sample.audit.bound.low - 1.0
    assert epsilon["ceiling"]["value"] == sample.audit.ceiling
    assert epsilon["epsilon_star"]["value"] == sample.epsilon_star.star.value
    chance = epsilon["raw_epsilon_by_chance"]
    assert chance["value"] == sample.audit.null.quantile("raw_epsilon")
    assert results["auc"]["value"] == sample.rates.auc.value
    assert results["advantage"]["high"] == sample.rates.advantage.high
    assert results["ppv_allowed"]["value"] == sample.bounds.ppv


def test_the_json_says_what_was_read_and_asked(leaky: tuple[Run, Any]) -> None:
    written = leaky[1]
    assert written["schema"] == "dpviz/audit/1"
    assert written["dpviz_version"] == dpviz.__version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", written["created"])
    # Folders of a machine are not for others.
    assert str(Path(LEAKY).parent) not in json.dumps(written)
    scores = {name: field["value"] for name, field in written["scores"].items()}
    assert scores["source"] == "overfitted.csv"
    assert scores["n_members"] == 300
    assert scores["n_nonmembers"] == 1497
    assert scores["orientation"] == "low = member"
    assert written["spec"]["claim"]["parameters"] == {"epsilon": 1.0, "delta": 1e-5}
    assert written["params"]["prior"]["value"] == written["spec"]["prior"] == 0.01


def test_rates_are_counted_by_hand(small: str) -> None:
    # "Member" up to a loss of 0.25 is right for 2 of 4 members, wrong for 1 of 4 non-members;
    # up to 0.4 for 4 of 4, and of 16 pairs the member has the lower loss in 14.
    found = run("audit", small, "--fpr", "0.25", "--prior", "0.1", "--json", "-").json
    threshold = {name: field["value"] for name, field in found["threshold"].items()}
    results = {name: field["value"] for name, field in found["results"].items()}
    assert threshold["realised_fpr"] == 0.25
    assert threshold["true_positives"] == 4
    assert threshold["false_positives"] == 1
    assert results["tpr"] == 1.0
    assert results["auc"] == 14 / 16
    assert results["advantage"] == 0.75
    assert results["ppv"] == pytest.approx(0.1 / (0.1 + 0.9 * 0.25), rel=1e-15)


def test_numbers_that_json_lacks_are_text(small: str) -> None:
    found = run("audit", small, "--claim", "inf,0", "--json", "-").json
    assert found["epsilon"]["epsilon_star_unclipped"]["value"] == "inf"
    assert found["claim"]["epsilon"]["value"] is None  # an infinite epsilon claims nothing


def test_json_is_utf_8_whatever_the_terminal_speaks(
    small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["audit", small, "--json", "-"]) == 0
    text = written.getvalue().decode("utf-8")
    assert "ε is at least" in text or "no ε above 0" in text
    assert "ε" in strict_json(text)["sentences"]["bound"]


def test_a_terminal_need_not_know_greek(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["audit", small]) == 0
    assert rb"\u03b5" in written.getvalue()


# Claims and options.


def test_a_report_is_a_claim(small: str, tmp_path: Path) -> None:
    path = str(tmp_path / "report.json")
    asked = ("audit", small, "--claim", "gaussian_dp:mu=2,adjacency=add_remove")
    assert run(*asked, "--json", path).code == 3
    again = run("audit", small, "--claim", path, "--json", "-").json
    assert again["spec"]["claim"] == json.loads(Path(path).read_text("utf-8"))["spec"]["claim"]


def test_a_whole_curve_can_be_claimed() -> None:
    done = run("audit", LEAKY, "--claim", "gaussian_dp:mu=1", "--delta", "1e-6", "--json", "-")
    assert done.code == 1
    found = done.json
    assert found["consistency"]["p_value"]["value"] < 0.05
    assert found["consistency"]["margin"]["value"] is None
    assert found["params"]["delta"]["value"] == 1e-6
    assert found["claim"]["epsilon"]["value"] == pytest.approx(GaussianDP(mu=1.0).epsilon(1e-6))


def test_the_claims_delta_is_that_of_the_bound(small: str) -> None:
    found = run("audit", small, "--claim", "1,0.01", "--json", "-").json
    assert found["spec"]["delta"] == found["params"]["delta"]["value"] == 0.01


def test_options_reach_the_spec_and_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("a,b,c\n3,1,x\n2,1,y\n1,0,x\n2.5,0,y\n")
    read = ("--score", "a", "--member", "b", "--kind", "score", "--group", "c")
    asked = ("--confidence-level", "0.9", "--sampling", "independent_trainings")
    asked += ("--fpr", "0.5")
    found = run("audit", str(path), *read, *asked, "--json", "-").json
    assert found["scores"]["orientation"]["value"] == "high = member"
    assert '"c"' in found["scores"]["understood"]["value"]
    assert found["spec"]["confidence_level"] == 0.9
    assert found["spec"]["applies_to"] == "mechanism"
    assert found["threshold"]["realised_fpr"]["value"] == 0.5
    assert "of the training method" in found["sentences"]["bound"]


@pytest.mark.slow
def test_other_attacks_are_compared_and_the_choice_of_the_best_is_paid_for(tmp_path: Path) -> None:
    path = tmp_path / "attacks.csv"
    weak, strong = dpviz.read_sample("regularised"), dpviz.read_sample("overfitted")
    is_member = np.repeat([1, 0], [weak.n_members, weak.n_nonmembers])
    first, second = (np.concatenate([s.member, s.nonmember]) for s in (weak, strong))
    table = np.column_stack([-first, second, is_member])  # a low loss, a high score means member
    np.savetxt(path, table, delimiter=",", header="loss,LiRA,member", comments="")
    given = ("--compare", f"LiRA={path}", "--score-of", "LiRA=LiRA", "--kind-of", "LiRA=score")
    found = run("audit", str(path), "--claim", "1,1e-5", *given, "--json", "-").json["compared"]
    weak_row, strong_row = found["attacks"]["value"]
    paid = dpviz.audit.best_of({"this attack": weak, "LiRA": strong}, delta=1e-5)
    assert found["best_of"]["value"] == strong_row["lower_bound"] == paid.low
    assert weak_row["lower_bound"] == paid.bounds["this attack"].low
    assert strong_row["same_records"]  # two columns of one file
    assert "contradicts the claim, which allows at most ε = 1" in found["best_of"]["about"]
    printed = run("audit", str(path), *given, "--records", "other").out
    assert "LiRA has the lowest measured curve" in printed
    assert "Best of 2 attacks: LiRA certifies ε ≥ " in " ".join(printed.split())


def test_stated_facts_limit_what_is_printed(small: str, tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text(run("facts").out + 'population = "different"')
    limited = run("audit", small, "--facts", str(path), "--full").words
    assert "Answers to the checklist limit this result: not the same population." in limited
    assert "Checklist Not answered (8 of 9 questions): duplicates in both sets," in limited
    assert "Not answered: 9 of 9 questions of the checklist." in run("audit", small).words


BAD = {
    "a decimal comma": (["--claim", "1,5"], "unambiguous, got '1,5'; write 1.5 if the comma is a"),
    "no number": (["--claim", "1,x"], "claim must be EPSILON,DELTA or NAME"),
    "out of range": (["--claim", "1.0,2"], "delta must be in [0, 1], got 2.0"),
    "swapped": (["--claim", "1e-5,8"], "below 1, got 8.0; give (8.0, 1e-05) if epsilon is"),
    "no such claim": (["--claim", "gpd:mu=1"], "got 'gpd'; did you mean 'gdp'?"),
    "no such parameter": (["--claim", "gaussian_dp:x=1"], "one of 'mu', 'adjacency', got 'x'"),
    "a parameter missing": (
        ["--claim", "uniform:sensitivity=1"],
        "complete (uniform takes width, sensitivity",
    ),
    "a parameter twice": (["--claim", "laplace:epsilon=1,epsilon=2"], "each parameter once"),
    "another delta": (
        ["--claim", "1,1e-5", "--delta", "1e-6"],
        "delta must be 1e-05, as in the claim",
    ),
    "prior": (["--prior", "0"], "prior must be in (0, 1), got 0.0"),
    "no float": (["--fpr", "few"], "argument --fpr: invalid float value: 'few'"),
    "NaN": (["--delta", "nan"], "delta must be in [0, 1], got nan"),
    "no sampling": (["--applies-to", "mechanism"], "must be one of 'independent_trainings', 'fair"),
    "no such choice": (["--applies-to", "all"], "invalid choice: 'all'"),
    "no such option": (["--epsilon", "1"], "arguments: --epsilon 1; did you mean --claim?; see"),
    "part of an option": (["--confidence=.9"], "=.9; did you mean --confidence-level?; see"),
    "American": (["--neighbors", "add_remove"], "did you mean --neighbours?"),
    "nothing alike": (["--foo"], "unrecognized arguments: --foo; see dpviz audit --help"),
    "power of nothing": (["--min-power", "0.9"], "min_power must be given only with --must-detect"),
    "no claim": (["--must-detect", "2"], "must_detect must be given only with --claim, got 2.0"),
    "not above the claim": (
        ["--claim", "1,1e-5", "--must-detect", "1"],
        "must_detect must be above the ε of the claim (1 at δ = 1e-5), got 1.0",
    ),
    "memory": (["--memory-limit", "-1"], "memory_limit must be a whole number of at least 0"),
    "no such column": (["--score", "x"], 'no column "x" for score'),
    "no such folder": (["--json", "no/where.json"], "no/where.json: No such file or directory"),
    "no such file of facts": (["--facts", "no.toml"], "no.toml: No such file or directory"),
    "facts of another kind": (["--facts", "facts.txt"], "facts file must be one of '.toml'"),
    "no such receipt": (["--protocol", "no.json"], "no.json: No such file or directory"),
    "no name of an attack": (["--compare", "b.csv"], "compare must be NAME=VALUE, got 'b.csv'"),
    "two attacks of a name": (["--compare", "b=b", "--compare", "b=c"], "once for each attack"),
    "no such attack": (
        ["--kind-of", "b=loss"],
        "for an attack that is named in --compare, got 'b'",
    ),
    "no such file of an attack": (["--compare", "b=no.csv"], "no.csv: No such file or directory"),
    "records of no attack": (["--records", "same"], "records must be given only with --compare"),
    "an untested claim": (
        ["--claim", "gaussian_dp:mu=1", "--confidence-level", "0.99999"],
        "the claim gaussian_dp:mu=1 cannot be tested: confidence_level must be at most 0.999",
    ),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD.keys())
def test_bad_options_are_refused_in_one_line(options: list[str], message: str, small: str) -> None:
    done = run("audit", small, *options)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("dpviz: error: ")
    assert done.err.count("\n") == 1
    assert message in done.err


def test_an_open_question_names_the_option_that_answers_it(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("a,member\n3,1\n1,0\n")
    assert run("audit", str(path)).err.endswith(" (here: --score COLUMN)\n")
    asked = run("audit", str(path), "--score", "a")
    assert asked.err.endswith(" (here: --kind loss|score)\n")
    assert run("audit", str(path), "--score", "a", "--kind", "score").code == 0


def test_the_scores_are_not_overwritten(small: str) -> None:
    assert run("audit", small, "--json", small).code == 2
    assert Path(small).read_text() == SMALL


def test_a_command_is_needed() -> None:
    assert run().code == 2
    assert run("audit").err.startswith("dpviz: error: the following arguments are required: SCORES")


# What goes to standard error.


def test_warnings_are_lines_on_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text("loss,member\n" + "5,1\n" * 30 + ",1\n" + "1,0\n" * 30)
    done = run("audit", str(path), "--missing", "drop", "--json", "-")
    lines = done.err.splitlines()
    assert "holes.csv: dropped 1 of 61 rows with a missing value (row 32)" in lines[0]
    assert "look reversed" in lines[1]
    found = done.json
    assert lines == [f"dpviz: warning: {text}" for text in found["warnings"][:2]]
    assert found["scores"]["n_dropped"]["value"] == 1
    assert found["scores"]["ties"]["value"] == 58


def test_a_streamed_file_shows_its_bar_on_standard_error() -> None:
    done = run("audit", LEAKY, "--memory-limit", "1", "--json", "-")
    assert "reading" in done.err
    scores = done.json["scores"]
    assert scores["is_binned"]["value"] is True
    assert scores["ties"]["value"] is None  # those of rounded scores are not the records'
    assert done.json["results"]["auc"]["value"] == pytest.approx(0.6052, abs=1e-4)


def test_a_failure_of_its_own_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpviz.cli.commands.formats", lambda: [None])
    done = run("formats")
    assert done.code == 70
    assert "AttributeError" in done.err


def test_a_reader_that_goes_away_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    read, write = os.pipe()
    os.close(read)
    with open(write, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert main(["formats"]) == 141
    assert capfd.readouterr().err == ""


# Other commands and help.


def test_formats_lists_what_is_read() -> None:
    done = run("formats")
    assert done.code == 0
    assert set(file_suffixes()) <= set(done.words.split())
    for each in conventions():
        assert each.name in done.words
        assert each.keys in done.words


COMMANDS = ("audit", "certify", "compare", "facts", "formats", "plan", "register")


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=str)
def test_help_fits_a_terminal(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80


def test_a_published_number_is_certified_as_printed() -> None:
    done = run("certify", "--auc", "0.60", "--members", "1000", "--nonmembers", "1000")
    assert done.code == 0
    assert "AUC 0.60 (read as 0.595 or more) on 1000 members and 1000 non-members" in done.words
    assert re.search(r"certifies ε ≥ 0\.28\d? at δ = 0 \(95 % confidence\)", done.words)


def test_rates_are_read_in_percent_and_the_fpr_as_what_proves_less() -> None:
    sizes = ("--members", "1000", "--nonmembers", "1000")
    done = run("certify", "--tpr", "4.2%", "--fpr", "0.1%", *sizes)
    assert "TPR 4.2% at FPR 0.1% (read as 4.15 % or more, at an FPR below 0.15 %)" in done.words
    assert "; the TPR is that of a threshold, not interpolated between two" in done.words
    done = run("certify", "--tpr", "4.2%", "--fpr", "0.1%", "--interpolated", *sizes)
    assert "TPR 4.2% at FPR 0.1%, interpolated (read as 4.15 % or more" in done.words
    assert "certifies ε ≥ 1.67 at" in done.words
    assert "threshold" not in done.words
    done = run("certify", "--precision", "0.9", "--k", "20", *sizes)
    assert "; records with equal scores were ordered without regard to membership" in done.words
    done = run("certify", "--tpr", "4.2%", "--fpr", "0", *sizes)
    assert "TPR 4.2% at FPR 0 (read as 4.15 % or more) on 1000 members" in done.words
    done = run("certify", "--tpr", "1", "--fpr", "0.1%", *sizes)
    assert "TPR 1 at FPR 0.1% (read as an FPR below 0.15 %) on 1000 members" in done.words
    done = run("certify", "--accuracy", "0.6", *sizes)
    assert "Accuracy 0.6 (read as 55 % or more) on 1000 members" in done.words


def test_what_a_published_number_does_not_certify_is_said() -> None:
    done = run("certify", "--auc", "1.0", "--members", "2", "--nonmembers", "2")
    assert done.code == 0
    assert "certifies nothing" in done.words
    assert "at least 4 members and 4 non-members are needed" in done.words
    done = run("certify", "--tpr", "0.123", "--fpr", "0.1", "--members", "10", "--nonmembers", "10")
    assert done.code == 2
    assert done.err == (
        "dpviz: error: tpr must be a multiple of 1/10, such as 1/10 or 2/10, got '0.123'\n"
    )


def test_help_says_how_to_gate(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    shown = capsys.readouterr().out
    assert "1    the records contradict the claim\n" in shown
    assert "3    the data cannot decide" in shown
    assert "that does not confirm it" in shown
    assert all(f"  {key} " in shown for key in numeric_mechanisms())
    examples = re.findall(r"^  dpviz (.*)$", shown, flags=re.MULTILINE)
    assert len(examples) >= 4
    for example in examples:  # each is a legal line
        parser().parse_args(shlex.split(re.split(r" [|]", example)[0]))

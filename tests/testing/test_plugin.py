"""The plugin in projects of its own: they use it, or have never heard of it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PLUGIN = ("-p", "no:dpviz", "-p", "dpviz.testing.plugin", "-p", "no:cacheprovider")
MARKED = """
import pytest

PAIRS = {"one vote": ([1, 1, 0], [1, 1, 1])}


@pytest.fixture
def scale():
    return 1.0


@pytest.mark.dp(claim="1.0,0", neighbours=PAIRS, n_resamples=100)
def test_right(data, rng, scale):
    return round(sum(data) + rng.laplace(scale=scale), 6)


class TestAnswers:
    @pytest.mark.xfail(strict=True)
    @pytest.mark.dp(claim="0.25,0", neighbours=PAIRS, batched=True)
    def test_known_bug(self, data, rng, size, scale):
        return (sum(data) + rng.laplace(scale=scale, size=size)).round(6)


@pytest.mark.dp(claim="1.0,0", neighbours=PAIRS)
def test_wrong(data):
    return sum(data)


@pytest.mark.dp
def test_of_others():
    pass
"""


def test_marked_functions_are_mechanisms(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MARKED)
    run = pytester.runpytest_inprocess(
        *PLUGIN, "-v", "--strict-markers", "--dp-pages", "pages", "--dp-rng", "3"
    )
    run.assert_outcomes(passed=2, xfailed=1, failed=1)
    run.stdout.fnmatch_lines(
        [
            "The claim DP ε = 1, δ = 0 is contradicted after * draws on each data set (99.9 % *",
            "Counterexample (one vote): output = *",
            "*first data set: * of 2000 draws",
            "*privacy tests (dpviz)*",
            "*::test_right[[]dp[]]",
            "*not contradicted after 100 draws*That does not confirm it.*80 % probability*",
        ]
    )
    assert len(list((pytester.path / "pages").glob("*.html"))) == 3


def test_a_mechanism_without_data_is_an_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.dp(claim="1.0,0", neighbours=[(1, 2)])
        def test_no_data(rng):
            pass
        """
    )
    run = pytester.runpytest_inprocess(*PLUGIN)
    run.assert_outcomes(errors=1)
    run.stdout.fnmatch_lines(["*must have a parameter data*"])


WRONG = """
import pytest

PAIRS = [(0, 1)]


@pytest.mark.dp(claim="1.0,0", neighbours=PAIRS, n_resamples=64)
def test_no_return(data, rng):
    data + rng.laplace()


@pytest.mark.dp(claim="1.0,0", neighbors=PAIRS)
def test_american(data):
    return data


@pytest.mark.dp(claim="1.0,0", neighbours=PAIRS, level=0.9)
def test_other_argument(data):
    return data


@pytest.mark.dp(claim="1.0,0")
def test_no_pairs(data):
    return data


@pytest.mark.dp
def test_bare(data):
    return data


@pytest.mark.dp(claim="1.0,0", neighbours=(0, 1))
def test_one_pair(data):
    return data


@pytest.mark.dp(claim="9.0,0", neighbours=PAIRS, n_resamples=100)
def test_few_draws(data, rng):
    return rng.random() < 0.5


@pytest.mark.dp(claim="1.0,0", neighbours=PAIRS)
def test_own_error(data):
    raise ValueError("of the mechanism")
"""


def test_mistakes_are_one_line_each(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(WRONG)
    run = pytester.runpytest_inprocess(*PLUGIN)
    run.assert_outcomes(failed=7, errors=1)
    example = '@pytest.mark.dp(claim="1.0,0", neighbours=[[](data, neighbour)[]])'
    run.stdout.fnmatch_lines(
        [
            "*ERROR at setup of test_bare*",
            f"the mark dp must have the arguments claim and neighbours, as in {example}",
            "*_ test_no_return[[]dp[]] _*",
            "mechanism must return its output, got None in each of 64 draws: is a return missing?",
            "*_ test_american[[]dp[]] _*",
            "the mark dp has no argument 'neighbors': did you mean 'neighbours'?",
            "*_ test_other_argument[[]dp[]] _*",
            "the mark dp has no argument 'level': it takes neighbours, claim, n_resamples, *",
            "*_ test_no_pairs[[]dp[]] _*",
            f"the mark dp must have the argument neighbours, as in {example}",
            "*_ test_one_pair[[]dp[]] _*",
            "neighbours must be a list or dict of pairs (data, neighbour), got (0, 1)",
            "*_ test_few_draws[[]dp[]] _*",
            "*not contradicted after 100 draws*few draws cannot decide*fewer than n_resamples=*",
            "*_ test_own_error[[]dp[]] _*",
            '>*raise ValueError("of the mechanism")',
        ],
        consecutive=False,
    )
    printed = run.stdout.str()
    assert "During handling" not in printed
    assert "plugin.py" not in printed


def test_other_projects_pay_nothing(tmp_path: Path) -> None:
    """No module of dpviz beyond two faces and the plugin, no NumPy; marks called dp are theirs."""
    (tmp_path / "test_other.py").write_text(
        "import sys, pytest\n"
        "@pytest.fixture\ndef data(): return 1\n"
        "@pytest.mark.dp('theirs', rows=3)\n"
        "def test_theirs(data):\n"
        "    assert data == 1\n"
        "    assert not {'numpy', 'scipy'} & {*sys.modules}\n"
        "    mine = sorted(m for m in sys.modules if m.split('.')[0] == 'dpviz')\n"
        "    assert mine == ['dpviz', 'dpviz.testing', 'dpviz.testing.plugin']\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", *PLUGIN, "-p", "no:hypothesispytest", "."]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


ATTACKS = """
import numpy as np
import pytest

RNG = np.random.default_rng(0)


@pytest.fixture
def n():
    return 1500


@pytest.mark.dp_at_most(accuracy=0.525)
def test_useless(n):
    return tuple(RNG.normal(size=(2, n)))


@pytest.mark.dp_at_most(accuracy=0.525)
def test_leak(n):
    return RNG.normal(-1, 1, n), RNG.normal(0, 1, n)


@pytest.mark.dp_at_most(accuracy=0.525)
def test_few_records():
    return tuple(RNG.normal(size=(2, 60)))


@pytest.mark.dp_at_most(acuracy=0.525)
def test_misspelt(n):
    return tuple(RNG.normal(size=(2, n)))


@pytest.mark.dp_at_most(accuracy=0.4)
def test_below_chance(n):
    return tuple(RNG.normal(size=(2, n)))


@pytest.mark.dp_at_most(accuracy=0.525)
def test_no_return(n):
    pass


@pytest.mark.dp_at_most(accuracy=0.525)
def test_own_error():
    raise ValueError("of the attack")
"""


def test_scores_of_an_attack_must_show_a_limit(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(ATTACKS)
    run = pytester.runpytest_subprocess(*PLUGIN, "-v", "--strict-markers")
    run.assert_outcomes(passed=1, failed=6)
    run.stdout.fnmatch_lines(
        [
            "Contradicted: accuracy at most 52.5 %. *this attack's accuracy is at least 6*",
            "*even an attack that knows nothing has a limit above 6* in half of all samples.*",
            "*unexpected keyword argument 'acuracy'*",
            "*accuracy must be in (0.5, 1), got 0.4*",
            "*the mark dp_at_most: scores must be *got None*",
            "E *ValueError: of the attack",
            "*privacy tests (dpviz)*",
            "*::test_useless",
            "*Shown: accuracy at most 52.5 %. If *is at most 5*nor about the mechanism.",
        ]
    )

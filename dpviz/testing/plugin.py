"""The plugin for pytest: a function marked `dp` is a mechanism whose claim is tested.

    @pytest.mark.dp(claim="1.0,0", neighbours=[([1, 1, 0], [1, 1])])
    def test_noisy_sum(data, rng):
        return round(sum(data) + rng.laplace(), 6)

The function gets `data`, from one of the pairs, and a NumPy generator as `rng` if it has such a
parameter, and returns an output; other parameters are fixtures. The other arguments of the mark are
those of `dpviz.testing.check_mechanism`.

    @pytest.mark.dp_at_most(accuracy=0.525)
    def test_attack(losses):
        return losses.of_members, losses.of_others

The function returns scores of an attack, or losses as a pair of arrays. The test passes if they
show that the attack does not exceed the number, by `dpviz.audit.upper_limits.limit_test`, whose
arguments the mark takes.

pytest loads this module in every project where dpviz is
installed: nothing of dpviz is imported here until a marked test runs.
"""

import re
from collections.abc import Callable, Generator, Sequence
from inspect import signature
from pathlib import Path
from traceback import walk_tb
from typing import Any

import pytest

MARK, LIMIT_MARK = "dp", "dp_at_most"
FILLED_PARAMETERS = ("data", "rng", "size")  # parameters that are no fixtures
MARK_HELP = (
    "dp(claim, neighbours, **options): the function is a mechanism, which gets `data` and returns "
    "an output; its privacy claim is tested on the pairs of data sets (dpviz.testing)"
)
LIMIT_MARK_HELP = (
    "dp_at_most(accuracy=0.525): the function returns scores of an attack, which must show that it "
    "does not exceed this accuracy, advantage or tpr (dpviz.audit.upper_limits.limit_test)"
)
EXAMPLE = '@pytest.mark.dp(claim="1.0,0", neighbours=[(data, neighbour)])'
OUTCOME_PROPERTY = "dpviz"  # of the report of a test: its outcome in words


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options ``--dp-n-resamples``, ``--dp-rng`` and ``--dp-pages``."""
    group = parser.getgroup("dpviz", "privacy tests (dpviz)")
    instead = "in place of the mark's"
    group.addoption("--dp-n-resamples", type=int, help=f"most draws on each data set, {instead}")
    group.addoption("--dp-rng", type=int, help=f"seed of rng, {instead}")
    group.addoption("--dp-pages", metavar="DIR", help="write a page (HTML) for each privacy test")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks `dp` and `dp_at_most`."""
    for text in (MARK_HELP, LIMIT_MARK_HELP):
        config.addinivalue_line("markers", text)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Fill the parameters `data`, `rng` and `size` of a test marked `dp`, in place of fixtures."""
    if _dp_mark_of(metafunc.definition) is None:
        return
    names = [name for name in FILLED_PARAMETERS if name in metafunc.fixturenames]
    if "data" not in names:
        pytest.fail("a test marked dp is a mechanism: it must have a parameter data", pytrace=False)
    # A parametrised name needs no fixture; the value None is never used.
    metafunc.parametrize(names, [pytest.param(*[None] * len(names), id=MARK)])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Test the claim of a marked function, or the limit of the attack whose scores it returns."""
    limit = pyfuncitem.get_closest_marker(LIMIT_MARK)
    if limit is not None:
        return _test_limit(pyfuncitem, limit)
    mark = _dp_mark_of(pyfuncitem)
    if mark is None:
        return None
    from dpviz.testing.check import check_mechanism  # heavy, and needed by marked tests only

    config = pyfuncitem.config
    options = dict(mark.kwargs)
    for name in ("n_resamples", "rng"):
        given = config.getoption(f"dp_{name}")
        options |= {} if given is None else {name: given}
    folder = config.getoption("dp_pages")
    if folder is not None:
        file = re.sub(r"[^\w.-]+", "_", pyfuncitem.nodeid)
        options["page"] = Path(folder) / f"{file}.html"
    _check_mark_arguments(mark, [*signature(check_mechanism).parameters][1:])
    try:
        test = check_mechanism(_mechanism_of(pyfuncitem), **options)
    except (TypeError, ValueError) as error:
        # An error of the tested function itself keeps its traceback.
        code = pyfuncitem.obj.__code__
        if any(frame.f_code is code for frame, _ in walk_tb(error.__traceback__)):
            raise
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    # A test that cannot decide fails, too: it shows nothing.
    failed = test.outcome != "not contradicted"
    text = str(test) if failed or config.get_verbosity() > 0 else test.headline
    return _report(pyfuncitem, text, failed=failed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Fail a test whose mark `dp` lacks arguments, with a message on the required arguments."""
    try:
        yield
    except pytest.FixtureLookupError as error:
        if error.argname == "data" and item.get_closest_marker(MARK) is not None:
            text = f"the mark dp must have the arguments claim and neighbours, as in {EXAMPLE}"
            raise pytest.fail.Exception(text, pytrace=False) from None
        raise


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print, with option -v, the outcome of each privacy test that did not fail."""
    if config.get_verbosity() <= 0:
        return
    found = [
        (report.nodeid, text)
        for outcome in ("passed", "xfailed")
        for report in terminalreporter.getreports(outcome)
        for name, text in report.user_properties
        if name == OUTCOME_PROPERTY
    ]
    if found:
        terminalreporter.section("privacy tests (dpviz)")
        for test, text in found:
            terminalreporter.write_line(f"{test}\n  {text}")


def _dp_mark_of(node: pytest.Item) -> pytest.Mark | None:
    """Return a test's mark `dp` if the mark has a claim or neighbours, else None."""
    mark = node.get_closest_marker(MARK)
    return mark if mark is not None and {"claim", "neighbours"} & mark.kwargs.keys() else None


def _test_limit(item: pytest.Function, mark: pytest.Mark) -> bool:
    """Test that an attack, whose scores the function returns, does not exceed the mark's number."""
    from dpviz.analysis.topics.at_most import limit_test_sentence  # heavy, as above
    from dpviz.audit.upper_limits.limit_test import limit_test

    # pytest itself passes only the fixtures that are parameters of the function.
    fixtures = {name: item.funcargs[name] for name in signature(item.obj).parameters}
    scores = item.obj(**fixtures)
    try:
        test = limit_test(scores, *mark.args, **mark.kwargs)
    except (TypeError, ValueError) as error:
        raise pytest.fail.Exception(f"the mark {LIMIT_MARK}: {error}", pytrace=False) from None
    return _report(item, limit_test_sentence(test), failed=test.outcome != "shown")


def _report(item: pytest.Function, text: str, *, failed: bool) -> bool:
    """Keep the outcome in words for the summary, and fail a test with these words."""
    item.user_properties.append((OUTCOME_PROPERTY, text))
    if failed:
        pytest.fail(text, pytrace=False)
    return True


def _check_mark_arguments(mark: pytest.Mark, names: Sequence[str]) -> None:
    """Fail the test if its mark has an argument not in `names`, or lacks a required argument."""
    from dpviz.checks import did_you_mean  # NumPy, too

    for name in mark.kwargs:
        if name not in names:
            hint = did_you_mean(name, names) or f"it takes {', '.join(names)}"
            pytest.fail(f"the mark dp has no argument {name!r}: {hint}", pytrace=False)
    if missing := [name for name in names[:2] if name not in mark.kwargs]:
        pytest.fail(
            f"the mark dp must have the argument {missing[0]}, as in {EXAMPLE}", pytrace=False
        )


def _mechanism_of(item: pytest.Function) -> Callable[..., Any]:
    parameters = signature(item.obj).parameters
    fixtures = {name: item.funcargs[name] for name in parameters if name not in FILLED_PARAMETERS}
    if "rng" not in parameters:
        return lambda data, **size: item.obj(data=data, **size, **fixtures)
    return lambda data, rng, **size: item.obj(data=data, rng=rng, **size, **fixtures)

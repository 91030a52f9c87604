"""All calls of an auditor: in this process, or in others that are ended when their time is up."""

import pickle
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.lower_bound import lower_bound
from dpviz.testing.auditors.call import Answer, call_auditor, takes_rng
from dpviz.testing.auditors.cases import KnownCase, error_counts, guess_counts

Takes = Literal["scores", "counts", "guesses"]
MOST_TIMED_OUT = 3  # calls in a case, after which the case ends
GRACE = 5.0  # seconds that a process gets to interrupt its call itself
IMPORTABLE = "a function at the top of a module, for more than one process"


class Task(NamedTuple):
    """One call: the number of the case, and that of the run."""

    case: int
    run: int


class Done(NamedTuple):
    """The answer of one call, and the default bound on the same scores, if it was computed."""

    answer: Answer
    default: float | None


@dataclass(frozen=True, kw_only=True)
class Work:
    """What every call needs; it can be read by other processes if the auditor can."""

    auditor: Callable[..., Any]
    takes: Takes
    cases: tuple[KnownCase, ...]
    n_compared: int  # first runs of a case on which the default bound is computed, too
    confidence_level: float
    time_limit: float
    seed: int

    def do(self, task: Task, before_call: Callable[[], object] = lambda: None) -> Done:
        """Return the answer to one task; `before_call` is called when the auditor's time begins."""
        case = self.cases[task.case]
        rng = case.generator(self.seed, task.run)
        scores = case.scores(rng)
        stated: dict[str, Any] = {"delta": case.delta, "confidence_level": self.confidence_level}
        default = lower_bound(scores, **stated).low if task.run < self.n_compared else None
        data: tuple[Any, ...] = (scores,) if self.takes == "scores" else ()
        named = dict(stated)
        if self.takes == "counts":
            named |= error_counts(scores, case.threshold)
        elif self.takes == "guesses":
            named |= guess_counts(scores, rng)
        seed = int(rng.integers(2**32))
        if takes_rng(self.auditor):
            named["rng"] = np.random.default_rng(seed)
        before_call()
        answer = call_auditor(self.auditor, data, named, seed=seed, time_limit=self.time_limit)
        return Done(answer, default)


def answers(
    work: Work, n_runs: int, *, processes: int, on_answer: Callable[[], object]
) -> list[list[Done]]:
    """Return the answers by case, in the order of runs; they do not depend on `processes`.

    A case ends with its third call that is timed out.
    """
    found: dict[int, dict[int, Done]] = defaultdict(dict)
    timed_out: Counter[int] = Counter()  # by case
    every = (Task(case, i) for case in range(len(work.cases)) for i in range(n_runs))
    tasks = (task for task in every if timed_out[task.case] < MOST_TIMED_OUT)
    begin = _in_this_process if processes == 1 else _in_other_processes
    for task, done in begin(work, tasks, processes):
        found[task.case][task.run] = done
        timed_out[task.case] += done.answer.kind == "timed out"
        on_answer()
    return [_until_ended(found[i], n_runs) for i in range(len(work.cases))]


def _until_ended(by_run: dict[int, Done], n_runs: int) -> list[Done]:
    """Return the answers up to the one that ended the case, as if runs had been made in turn."""
    kept: list[Done] = []
    n_timed_out = 0
    for run in range(n_runs):
        if run not in by_run or n_timed_out >= MOST_TIMED_OUT:
            break
        kept.append(by_run[run])
        n_timed_out += by_run[run].answer.kind == "timed out"
    return kept


def _in_this_process(work: Work, tasks: Iterator[Task], _: int) -> Iterator[tuple[Task, Done]]:
    for task in tasks:
        yield task, work.do(task)


def _in_other_processes(
    work: Work, tasks: Iterator[Task], processes: int
) -> Iterator[tuple[Task, Done]]:
    """Yield answers of several processes, as they come; a process that hangs is replaced."""
    from multiprocessing.connection import wait  # slow to import

    try:
        pickle.dumps(work)
    except Exception as error:
        raise checks.fail("auditor", IMPORTABLE, work.auditor, checks.reason(error)) from error
    idle: list[_Child] = []
    busy: list[_Child] = []
    try:
        while True:
            while len(busy) < processes and (task := next(tasks, None)) is not None:
                child = idle.pop() if idle else _Child(work)
                child.begin(task)
                busy.append(child)
            if not busy:
                return
            wait([child.connection for child in busy], timeout=_seconds_left(busy))
            for child in list(busy):
                done = child.news()
                if done is not None:
                    busy.remove(child)
                    (idle if child.is_alive else []).append(child)
                    yield child.task, done
    finally:
        for child in [*idle, *busy]:
            child.end()


def _seconds_left(busy: "Sequence[_Child]") -> float | None:
    first = min(child.deadline for child in busy)
    return None if first == np.inf else max(0.0, first - time.monotonic())


class _Child:
    """A process that answers one task after another."""

    task: Task
    deadline: float  # inf while the auditor's time has not begun

    def __init__(self, work: Work) -> None:
        import multiprocessing  # slow to import

        # A fork of a process with threads, such as a notebook's, may hang.
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, work), daemon=True)
        self._process.start()
        other.close()
        self._limit, self._auditor = work.time_limit, work.auditor
        self._has_begun, self.is_alive = False, True

    def begin(self, task: Task) -> None:
        """Give the process a task."""
        self.task, self.deadline = task, np.inf
        with suppress(BrokenPipeError):  # the process ended: `news` will say so
            self.connection.send(task)

    def news(self) -> Done | None:
        """Return the answer, if there is one, or if the process ended or has to be ended."""
        try:
            while self.connection.poll():
                message = self.connection.recv()
                self._has_begun = True
                if isinstance(message, Done):
                    return message
                self.deadline = time.monotonic() + self._limit + GRACE
        except (EOFError, ConnectionResetError):
            return self._ended()
        if time.monotonic() < self.deadline:
            return None
        self.end()
        return Done(Answer("timed out"), None)

    def _ended(self) -> Done:
        """Return the answer for a process that ended itself."""
        self.end()
        code = self._process.exitcode
        if not self._has_begun:
            way_out = f"a process that reads it ended with code {code}"
            raise checks.fail("auditor", IMPORTABLE, self._auditor, way_out)
        return Done(Answer("raised", message=f"the process ended with code {code}"), None)

    def end(self) -> None:
        """End the process."""
        self.is_alive = False
        self._process.kill()
        self._process.join()
        self.connection.close()


def _serve(connection: Any, work: Work) -> None:
    """Run the tasks that arrive on a connection, in another process."""
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            task = connection.recv()
            connection.send(work.do(task, before_call=lambda: connection.send(None)))

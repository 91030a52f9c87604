"""Reading in a child process whose memory is limited, for files that cannot be measured before.

A library allocates what a file claims to hold, and a few damaged files end the process of the
library that reads them. In a child process neither harms the kernel. One child is kept for the
next file. The child runs this file as a script: nothing of dpviz is imported there, so that it
starts in the time that its libraries take.
"""

import atexit
import ctypes
import os
import runpy
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Any

try:
    import resource
    import subprocess
except ImportError:  # Windows has no limits, Pyodide no processes
    resource = None  # type: ignore[assignment]

HAS_CHILDREN = resource is not None and sys.platform != "emscripten" and bool(sys.executable)
IS_ENFORCED = sys.platform == "linux"  # whether the system holds a process to its limit
# Arrow's other pools of memory reserve a gibibyte ahead; threads of OpenMP reserve their stacks,
# and each further arena of the system's pool reserves 64 MiB.
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}
SECONDS_BETWEEN_LOOKS = 0.1  # seconds between two looks at a child that works
LONGEST_MESSAGE = 10_000  # letters of a library's error
SECONDS_TO_FINISH = 0.05  # seconds in which a child that is left early may finish
START_CODE = (
    "import runpy, sys; script, place, *sys.path = sys.argv[1:]; "
    "runpy.run_path(script)['serve'](int(place))"
)
Reader = Callable[..., Iterator[Any]]  # its module imports nothing of dpviz


class ChildError(Exception):
    """A child process could not read a file; the message says why, or how the process ended."""


def run_in_child(
    read: Reader, *args: object, memory: int, waiting: Callable[[], object] | None = None
) -> Generator[Any]:
    """Run a generator function in a child process, and yield the bytes that it yields.

    `memory` limits the bytes that the child may take beyond those of its libraries; MemoryError if
    they do not suffice. `waiting` is called ten times a second and may raise to cancel. Raises
    ChildError if the child fails otherwise. Where no child can be started, the function runs here.
    """
    if not HAS_CHILDREN:
        try:
            yield from read(*args)
        except (MemoryError, GeneratorExit):
            raise
        except Exception as error:
            raise ChildError(str(error)) from error
        return
    child = _child_for(memory)
    is_free = False
    try:
        child.request_reading(read, args, memory)
        while (answer := child.receive(waiting))[0] == "item":
            yield child.receive_bytes(*answer[1])
        is_free = True
    except GeneratorExit:
        # After an early stop, only a child whose reading has ended can be used again.
        is_free = child.finishes_soon()
        raise
    except (EOFError, OSError) as error:
        raise ChildError(child.exit_message()) from error
    finally:
        if is_free and child.process.poll() is None:
            _idle_children.append(child)
        else:
            child.kill()
    kind, details = answer
    if kind == "memory":
        raise MemoryError(*details)
    if kind == "error":
        raise ChildError(*details)


def _child_for(memory: int) -> "_Child":
    """Return an idle child that earlier files left with at most `memory` / 8, or a new child."""
    # What a child keeps of earlier readings could be used beyond the limit.
    while _idle_children:
        child = _idle_children.pop()
        if child.kept <= memory / 8:
            return child
        child.kill()
    return _Child()


class _Child:
    """A child process and the connection to it."""

    def __init__(self) -> None:
        from multiprocessing import Pipe  # Pyodide has none

        self._is_ready = False
        self.kept = 0  # bytes of addresses that its readings have left behind
        self.connection, place = Pipe()
        with place:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START_CODE, __file__, str(place.fileno()), *sys.path],
                pass_fds=[place.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for this process, which then ends the child
                env={**os.environ, **ENVIRONMENT},
            )

    def request_reading(self, read: Reader, args: tuple[object, ...], memory: int) -> None:
        """Ask the child to run a function on these arguments within `memory` bytes."""
        self._memory = memory
        if not self._is_ready:  # its size is that of its libraries when they have been loaded
            self.connection.recv()
            self._is_ready = True
        # Where the system enforces no limit, the size of the child is watched.
        self._most = 0 if IS_ENFORCED else self._size() + memory
        script = sys.modules[read.__module__].__file__
        self.connection.send((script, read.__qualname__, args, memory if IS_ENFORCED else None))

    def receive(self, waiting: Callable[[], object] | None) -> tuple[str, tuple[Any, ...]]:
        """Wait for a message: "item" and its number of bytes, or how the reading has ended."""
        while not self.connection.poll(SECONDS_BETWEEN_LOOKS):
            if waiting is not None:
                waiting()
            if not IS_ENFORCED and self._size() > self._most:
                self.process.kill()
        kind, details, kept = self.connection.recv()
        self.kept = max(self.kept, kept)
        return kind, details

    def receive_bytes(self, size: int) -> bytearray:
        """Receive the `size` bytes of an item that a message has announced."""
        content = bytearray(size)
        rest = memoryview(content)
        while rest:
            n_bytes = os.readv(self.connection.fileno(), [rest])
            if n_bytes == 0:
                raise EOFError
            rest = rest[n_bytes:]
        return content

    def _size(self) -> int:
        import psutil  # slow to import

        with suppress(psutil.Error):
            return int(psutil.Process(self.process.pid).memory_info().rss)
        return 0

    def finishes_soon(self) -> bool:
        """Return whether the child ends its reading within `SECONDS_TO_FINISH`."""
        with suppress(EOFError, OSError):
            return self.connection.poll(SECONDS_TO_FINISH) and self.receive(None)[0] != "item"
        return False

    def exit_message(self) -> str:
        """Wait for the process to end; return a message with its signal or exit code."""
        code = self.process.wait()
        how = signal.Signals(-code).name if code < 0 else f"code {code}"
        return (
            f"the process that read it ended with {how}: it is damaged, or takes more than the "
            f"{self._memory // 2**20} MiB that memory_limit allows for a piece"
        )

    def kill(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


_idle_children: list[_Child] = []


@atexit.register
def _end_all() -> None:
    while _idle_children:
        _idle_children.pop().kill()


if hasattr(os, "register_at_fork"):  # a copy of this process must not talk to the same child
    os.register_at_fork(after_in_child=_idle_children.clear)

# What the child runs.


def serve(place: int) -> None:
    """In the child: run the functions requested on file descriptor `place` until it is closed."""
    from multiprocessing.connection import Connection  # Pyodide has none

    connection = Connection(place)
    with suppress(ImportError):
        import pyarrow.parquet  # before the limit: the memory of libraries does not count

        pyarrow.set_cpu_count(1)
        pyarrow.set_io_thread_count(1)
    kept = 0
    with suppress(EOFError, OSError):
        connection.send("ready")
        while True:
            script, name, args, memory = connection.recv()
            try:
                # The module is run from its file, which imports nothing of dpviz.
                read = runpy.run_path(script)[name]
            except Exception as error:
                connection.send(("error", (str(error)[:LONGEST_MESSAGE],), kept))
                continue
            before = _address_space_in_use()
            _limit_address_space(None if memory is None else before + memory)
            kind, details = _send_items(connection, place, read(*args))
            # Without the limit, so that no memory is lacking for the answer.
            _limit_address_space(None)
            kept += _address_space_in_use() - before
            connection.send((kind, details, kept))


def _send_items(connection: Any, place: int, items: Iterator[Any]) -> tuple[str, tuple[Any, ...]]:
    """Send all items; return "end", or "memory" or "error" with details of the exception."""
    try:
        for item in items:
            rest = memoryview(item)
            connection.send(("item", (rest.nbytes,), 0))
            # The bytes follow the message that has their number.
            while rest:
                rest = rest[os.write(place, rest) :]
    except MemoryError as error:
        return "memory", error.args
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:
        return "error", (str(error)[:LONGEST_MESSAGE],)
    return "end", ()


def _address_space_in_use() -> int:
    """Bytes of address space that this process uses, once its unused memory is freed."""
    if not IS_ENFORCED:
        return 0
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as sizes:
        # The first number is that of all pages of the process.
        return int(sizes.read().split()[0]) * resource.getpagesize()


def _limit_address_space(size: int | None) -> None:
    """Limit this process to `size` bytes of address space; no limit if None."""
    if not IS_ENFORCED:
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if size is None or (most != resource.RLIM_INFINITY and most < size):
        size = most
    resource.setrlimit(resource.RLIMIT_AS, (size, most))

"""Child processes with limited memory, for reading files whose memory use is unknown.

A library allocates as much as a file claims to hold, and some damaged files crash the library. A
child process protects the kernel from both. A child that has finished is kept for the next file.
It runs this file as a script that imports nothing of dpviz, and so starts fast.
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
IS_ENFORCED = sys.platform == "linux"  # whether the system enforces a limit of memory
# These settings keep Arrow, OpenMP and malloc from reserving memory that they do not use.
ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}
SECONDS_BETWEEN_LOOKS = 0.1  # between two checks of a child that is reading
LONGEST_MESSAGE = 10_000  # characters of a library's error
SECONDS_TO_FINISH = 0.05  # for a child of which no more items are wanted
START_CODE = (
    "import runpy, sys; script, place, *sys.path = sys.argv[1:]; "
    "runpy.run_path(script)['run_requests_of_parent'](int(place))"
)
Reader = Callable[..., Iterator[Any]]  # of a module that imports nothing of dpviz


class ChildError(Exception):
    """The error that a child process could not read a file; the message says why."""


def run_in_child(
    read: Reader, *args: object, memory: int, on_wait: Callable[[], object] | None = None
) -> Generator[Any]:
    """Run a generator function in a child process, and yield the bytes that it yields."""
    # `memory` limits the bytes that the child may take beyond those of its libraries; MemoryError
    # if the limit does not suffice, ChildError for other failures. `on_wait` is called ten times a
    # second and may raise to cancel. On systems without child processes, this process runs `read`.
    if not HAS_CHILDREN:
        try:
            yield from read(*args)
        except (MemoryError, GeneratorExit):
            raise
        except Exception as error:
            raise ChildError(str(error)) from error
        return
    child = _small_idle_or_new_child(memory)
    is_free = False
    try:
        child.request_reading(read, args, memory)
        while (answer := child.next_message(on_wait))[0] == "item":
            yield child.receive_bytes(*answer[1])
        is_free = True
    except GeneratorExit:
        # After an early stop, only a child whose reading has ended can be used again.
        with suppress(EOFError, OSError):
            has_message = child.connection.poll(SECONDS_TO_FINISH)
            is_free = has_message and child.next_message(None)[0] != "item"
        raise
    except (EOFError, OSError) as error:
        raise ChildError(child.wait_for_exit_message()) from error
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


def _small_idle_or_new_child(memory: int) -> "_Child":
    """Return an idle child that still holds at most `memory` / 8 bytes, or else a new child."""
    # Memory that a child retains could be used beyond the limit.
    while _idle_children:
        child = _idle_children.pop()
        if child.kept <= memory / 8:
            return child
        child.kill()
    return _Child()


class _Child:
    """A child process, and a pipe between this process and the child."""

    def __init__(self) -> None:
        from multiprocessing import Pipe  # Pyodide has none

        self._is_ready = False
        self.kept = 0  # bytes of address space that the child retains of earlier readings
        self.connection, place = Pipe()
        with place:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START_CODE, __file__, str(place.fileno()), *sys.path],
                pass_fds=[place.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C reaches only this process, which ends the child
                env={**os.environ, **ENVIRONMENT},
            )

    def request_reading(self, read: Reader, args: tuple[object, ...], memory: int) -> None:
        """Make the child run `read(*args)` with at most `memory` further bytes."""
        self._memory = memory
        if not self._is_ready:  # the child sends a message when it has loaded its libraries
            self.connection.recv()
            self._is_ready = True
        # Where the system enforces no limit, the size of the child is watched.
        self._most = 0 if IS_ENFORCED else self._memory_in_use() + memory
        script = sys.modules[read.__module__].__file__
        self.connection.send((script, read.__qualname__, args, memory if IS_ENFORCED else None))

    def next_message(self, on_wait: Callable[[], object] | None) -> tuple[str, tuple[Any, ...]]:
        """Wait for the next message, calling `on_wait` meanwhile; return its kind and details."""
        while not self.connection.poll(SECONDS_BETWEEN_LOOKS):
            if on_wait is not None:
                on_wait()
            if not IS_ENFORCED and self._memory_in_use() > self._most:
                self.process.kill()
        kind, details, kept = self.connection.recv()
        self.kept = max(self.kept, kept)
        return kind, details

    def receive_bytes(self, size: int) -> bytearray:
        """Return the next item, of `size` bytes; the child's previous message states this size."""
        content = bytearray(size)
        rest = memoryview(content)
        while rest:
            n_bytes = os.readv(self.connection.fileno(), [rest])
            if n_bytes == 0:
                raise EOFError
            rest = rest[n_bytes:]
        return content

    def _memory_in_use(self) -> int:
        import psutil  # slow to import

        with suppress(psutil.Error):
            return int(psutil.Process(self.process.pid).memory_info().rss)
        return 0

    def wait_for_exit_message(self) -> str:
        """Wait for the process to end; return an error message with its signal or exit code."""
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
def _kill_idle_children() -> None:
    while _idle_children:
        _idle_children.pop().kill()


if hasattr(os, "register_at_fork"):  # a fork of this process must not use the same child
    os.register_at_fork(after_in_child=_idle_children.clear)

# The functions that run in the child.


def run_requests_of_parent(descriptor: int) -> None:
    """Run, in the child, the functions that the parent process requests through a pipe."""
    from multiprocessing.connection import Connection  # Pyodide has none

    connection = Connection(descriptor)
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
                # Run as a file, the module does not import the package dpviz.
                read = runpy.run_path(script)[name]
            except Exception as error:
                connection.send(("error", (str(error)[:LONGEST_MESSAGE],), kept))
                continue
            before = _address_space_after_freeing()
            _limit_address_space(None if memory is None else before + memory)
            kind, details = _send_items(connection, descriptor, read(*args))
            # Without a limit, the answer cannot lack memory.
            _limit_address_space(None)
            kept += _address_space_after_freeing() - before
            connection.send((kind, details, kept))


def _send_items(connection: Any, pipe: int, items: Iterator[Any]) -> tuple[str, tuple[Any, ...]]:
    """Send the size and the bytes of each item; return kind and details of the final message."""
    try:
        for item in items:
            rest = memoryview(item)
            connection.send(("item", (rest.nbytes,), 0))
            # The bytes follow the message with their number.
            while rest:
                rest = rest[os.write(pipe, rest) :]
    except MemoryError as error:
        return "memory", error.args
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:
        return "error", (str(error)[:LONGEST_MESSAGE],)
    return "end", ()


def _address_space_after_freeing() -> int:
    """Free unused memory; return the bytes of address space that this process still uses."""
    if not IS_ENFORCED:
        return 0
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as sizes:
        # The first number counts all pages of the process.
        return int(sizes.read().split()[0]) * resource.getpagesize()


def _limit_address_space(size: int | None) -> None:
    """Limit this process to `size` bytes of address space; None lifts the limit."""
    if not IS_ENFORCED:
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if size is None or (most != resource.RLIM_INFINITY and most < size):
        size = most
    resource.setrlimit(resource.RLIMIT_AS, (size, most))

"""Names for the parts of a traced program. In a program that is not traced they do nothing."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Callable, Iterable, Iterator, TypeVar

T = TypeVar("T")


def _tracer() -> tuple[list[Callable], bool]:
    """Returns the functions mark, scope_begin and scope_end of the tracer in this process, and True; without a tracer,
    functions that do nothing, and False."""
    process = ctypes.CDLL(None)
    there = hasattr(process, "mtrace_mark")

    def function(name: str) -> Callable:
        if not there:
            return lambda *arguments: None
        found = getattr(process, name)
        found.restype = None
        return found

    return [function("mtrace_" + name) for name in ("mark", "scope_begin", "scope_end")], there


(_mark, _begin, _end), is_traced = _tracer()


def mark(name: str) -> None:
    """Names this moment in the trace of this program. Returns None, also without a tracer."""
    _mark(name.encode())


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """Returns a context manager that names, in the trace of this program, the time that the block takes on this thread.
    Its value is None. Scopes nest."""
    _begin(name.encode())
    try:
        yield
    finally:
        _end()


class schedule:
    """Names the steps of a loop, with the arguments of torch.profiler.schedule: after `skip_first` steps, cycles of
    `wait`, `warmup` and `active` steps follow, `repeat` of them or, with 0, until the loop ends. Each step is a scope
    with the name of its phase, so the report lists the active steps separately. As a context manager its value is the
    schedule itself; impossible numbers raise ValueError.

        with mtrace.schedule(wait=1, warmup=1, active=3) as steps:
            for batch in data:
                train(batch)
                steps.step()
    """

    def __init__(self, *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0) -> None:
        if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
            raise ValueError("a schedule has one active step or more, and no negative numbers")
        self.wait, self.warmup, self.active, self.repeat, self.skip_first = wait, warmup, active, repeat, skip_first
        self.number = 0
        self._open = False

    def phase(self, number: int) -> str:
        """Returns the phase of the step with this number, from 0: "skip", "wait", "warmup", "active", or "done" after
        the last."""
        number -= self.skip_first
        if number < 0:
            return "skip"
        turn, at = divmod(number, self.wait + self.warmup + self.active)
        if self.repeat and turn >= self.repeat:
            return "done"
        return "wait" if at < self.wait else "warmup" if at < self.wait + self.warmup else "active"

    def _begin(self) -> None:
        _begin(self.phase(self.number).encode())
        self._open = True

    def __enter__(self) -> schedule:
        self._begin()
        return self

    def step(self) -> None:
        """Ends the current step and begins the next. Returns None; outside of the with block it raises RuntimeError."""
        if not self._open:
            raise RuntimeError("step() goes with a block: with mtrace.schedule(…) as steps:")
        _end()
        self.number += 1
        self._begin()

    def __exit__(self, *failure: object) -> None:
        self._open = False
        _end()

    def over(self, steps: Iterable[T]) -> Iterator[T]:
        """Returns an iterator over the given elements. The body of the loop over it is one step for each element; no
        with block is needed."""
        for element in steps:
            with scope(self.phase(self.number)):
                yield element
            self.number += 1

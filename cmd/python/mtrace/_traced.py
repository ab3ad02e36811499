"""Traced functions. The tracer is loaded when a process starts, so in a process that is not traced the function runs
in a child process."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing.spawn
import os
import pickle
import shlex
import sys
import tempfile
from typing import Any, Callable, Iterator

from ._marks import is_traced, scope
from ._tool import Failed
from ._trace import Trace, run


def traced(function: Callable | None = None, *, output: Any = None, stacks: Any = ("python",), flags: Any = ()) -> Any:
    """A decorator. Returns a function that runs each call in a traced child process and returns the original's result;
    an exception there is raised here. The function's attribute `trace` is the Trace of its last call, None before.
    output, stacks and flags are those of run. As with multiprocessing, function, arguments and result must be
    picklable. In a process that is traced already, the function runs there, in a scope of its name.

        @mtrace.traced
        def step(n): …

        step(3)
        print(step.trace.report())
    """
    if function is None:
        return lambda f: traced(f, output=output, stacks=stacks, flags=flags)

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if is_traced:
            with scope(function.__qualname__):
                return function(*arguments, **named)
        result, call.trace = _in_child(call, arguments, named, output, stacks, flags)  # type: ignore[attr-defined]
        return result

    call.trace = None  # type: ignore[attr-defined]
    return call


@contextlib.contextmanager
def trace(output: Any) -> Iterator[None]:
    """A context manager for a block of a program that runs under `mtrace run`: the block is a scope with the name of
    the file `output`, without folder and extension. The tracer is loaded when a process starts, so a process that is
    not traced cannot trace a block of its own: then it raises Failed, which says what to do instead."""
    if not is_traced:
        raise Failed(
            "this process runs already and cannot be traced from inside: start it with `mtrace run -o %s -- %s`, "
            "or put the block into a function and decorate that with @mtrace.traced, which runs it in a traced child"
            % (os.fspath(output), shlex.join(getattr(sys, "orig_argv", ["python3"] + sys.argv)))
        )
    with scope(os.path.splitext(os.path.basename(os.fspath(output)))[0]):
        yield


def _in_child(call: Callable, arguments: tuple, named: dict, output: Any, stacks: Any, flags: Any) -> tuple[Any, Trace]:
    try:
        work = pickle.dumps((call, arguments, named))
    except (pickle.PicklingError, AttributeError, TypeError) as why:
        raise Failed("%s cannot be sent to the child that is traced: %s" % (call.__qualname__, why)) from None
    main = sys.modules["__main__"]
    if call.__module__ == "__main__" and not getattr(main, "__file__", None):
        raise Failed(
            "%s is defined in an interactive session, where the traced child process cannot find it: use %%%%mtrace, "
            "or put it into a module"
            % call.__qualname__
        )
    prepared = multiprocessing.spawn.get_preparation_data("traced")
    prepared.pop("authkey", None)  # which must not be written down
    sys.stderr.write("mtrace: %s runs in a child process, which is traced\n" % call.__qualname__)
    sys.stderr.flush()
    with tempfile.TemporaryDirectory(prefix="mtrace-") as folder:
        asked, answered = os.path.join(folder, "call"), os.path.join(folder, "result")
        with open(asked, "wb") as file:
            pickle.dump((prepared, work), file)
        trace = run(
            [sys.executable, "-m", "mtrace._child", asked, answered],
            output=output,
            stacks=stacks,
            flags=flags,
            check=False,
        )
        if not os.path.exists(answered):
            raise Failed("the child that ran %s ended with status %s" % (call.__qualname__, trace.status))
        with open(answered, "rb") as file:
            failure, value = pickle.load(file)
    if failure:
        raise value
    return value, trace

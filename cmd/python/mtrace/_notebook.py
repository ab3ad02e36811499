"""The magic %%mtrace, which traces a cell of a notebook."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from typing import Any

from ._trace import run


def cell(shell: Any, line: str, text: str) -> Any:
    """%%mtrace [-o FILE] [--stacks native,python] [NAME]: runs the cell in a new traced process, without the notebook's
    variables. Assigns the Trace to the variable NAME (trace if it is not given), and returns it."""
    parser = argparse.ArgumentParser(prog="%%mtrace", add_help=False)
    parser.add_argument("name", nargs="?", default="trace")
    parser.add_argument("-o", "--output")
    parser.add_argument("--stacks", default="python")
    try:
        asked = parser.parse_args(line.split())
    except SystemExit:
        raise ValueError("%%mtrace [-o FILE] [--stacks native,python] [NAME]") from None
    print("mtrace: the cell runs in a process of its own, which is traced: it has no variables of the notebook")
    with tempfile.TemporaryDirectory(prefix="mtrace-") as folder:
        path = os.path.join(folder, "cell.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        printed = os.path.join(folder, "printed")
        with open(printed, "wb") as out:  # a process writes past what a notebook shows
            trace = run(
                [sys.executable, path],
                output=asked.output,
                stacks=asked.stacks.split(","),
                check=False,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        with open(printed, encoding="utf-8", errors="replace") as said:
            print(said.read(), end="")
    if trace.status:
        print("the cell ended with status %d" % trace.status)
    shell.user_ns[asked.name] = trace
    return trace


def load_ipython_extension(shell: Any) -> None:
    """Adds the magic %%mtrace to IPython, which calls this for %load_ext mtrace. Returns None."""
    shell.register_magic_function(lambda line, text: cell(shell, line, text), "cell", "mtrace")

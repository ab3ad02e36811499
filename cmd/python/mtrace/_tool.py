"""The command mtrace, which does the work of this package."""

from __future__ import annotations

import os
import shutil
import subprocess


class Failed(Exception):
    """An error of mtrace. Its text is the message in one line."""


def program() -> str:
    """Returns the path of the command mtrace: the one in this package, else the one on the PATH. Raises Failed if there
    is none."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "mtrace")
    found = own if os.path.exists(own) else shutil.which("mtrace")
    if not found:
        raise Failed("there is no mtrace in this package, nor on the PATH")
    return found


def ask(*arguments: str) -> str:
    """Runs the tool and returns its standard output. A trace that was cut gives the output for its readable part.
    Raises Failed if there is no output."""
    result = subprocess.run([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0 and not result.stdout:
        raise Failed(result.stderr.strip() or "mtrace ended with status %d" % result.returncode)
    return result.stdout

"""The tool behind the package."""

from __future__ import annotations

import os
import shutil
import subprocess


class Failed(Exception):
    """mtrace failed; the text is its message."""


def program() -> str:
    """The path of the tool: the one in this package, or, without one, mtrace on the PATH."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "mtrace")
    found = own if os.path.exists(own) else shutil.which("mtrace")
    if not found:
        raise Failed("there is no mtrace in this package, nor on the PATH")
    return found


def ask(*arguments: str) -> str:
    """Runs the tool and returns what it prints. A trace that is not whole is used as far as it goes."""
    result = subprocess.run([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0 and not result.stdout:
        raise Failed(result.stderr.strip() or "mtrace ended with status %d" % result.returncode)
    return result.stdout

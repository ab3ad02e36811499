"""Traces programs that use Apple's Metal: run them, open traces, ask for the report and for tables.

run, open and traced return a Trace. scope, mark and schedule name the parts of a traced program; in a program that is
not traced they do nothing.
"""

from ._marks import mark, schedule, scope
from ._notebook import load_ipython_extension
from ._tool import Failed, program
from ._trace import Object, Report, Trace, open, run
from ._traced import traced
from ._version import __version__

__all__ = [
    "Failed",
    "Object",
    "Report",
    "Trace",
    "__version__",
    "load_ipython_extension",
    "mark",
    "open",
    "program",
    "run",
    "schedule",
    "scope",
    "traced",
]

"""Traces programs that use Apple's Metal, and reads their traces.

run and open return a Trace, which has the report and the tables. traced wraps a function so that each call is traced.
A block can only be named, with trace or scope: a process that runs cannot be traced from inside.
scope, mark and schedule name the parts of a traced program; in a program that is not traced they do nothing. An error
of mtrace is the exception Failed.
"""

from ._marks import mark, schedule, scope
from ._notebook import load_ipython_extension
from ._tool import Failed, program
from ._trace import Object, Report, Trace, open, run
from ._traced import trace, traced
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
    "trace",
    "traced",
]

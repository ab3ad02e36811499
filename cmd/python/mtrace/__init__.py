"""Traces programs that use Apple's Metal: run them, open traces, ask for the report and for tables.

run and open give a Trace. scope and mark name what a traced program does; in a program that is not traced they do nothing.
"""
import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import tempfile
import weakref

__all__ = ["Failed", "Object", "Trace", "mark", "open", "program", "run", "scope"]


class Failed(Exception):
    """mtrace could not do what was asked; the text is what it says."""


def program():
    """The path of the tool: the one in this package, or, without one, mtrace on the PATH."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "mtrace")
    found = own if os.path.exists(own) else shutil.which("mtrace")
    if not found:
        raise Failed("there is no mtrace in this package, nor on the PATH")
    return found


def _ask(*arguments):
    """Runs the tool and returns what it prints. A trace that is not whole is used as far as it goes."""
    result = subprocess.run([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0 and not result.stdout:
        raise Failed(result.stderr.strip() or "mtrace ended with status %d" % result.returncode)
    return result.stdout


def run(command, output=None, flags=(), stacks=None, check=True, **options):
    """Runs a command, a list of words, under the tracer, and returns its Trace.

    output is the trace to write; without one it is in a temporary folder and goes with the Trace. stacks is a list of "native" and
    "python"; flags are more flags of mtrace run. options are those of subprocess.run. With check, a command that fails is a
    subprocess.CalledProcessError; the trace's status has its exit status otherwise.
    """
    folder = None
    if output is None:
        folder = tempfile.TemporaryDirectory(prefix="mtrace-")
        output = os.path.join(folder.name, "t.mtrace")
    words = [program(), "run", "--no-report", "-o", os.fspath(output), *flags]
    if stacks:
        words.append("--stacks=" + ",".join(stacks))
    result = subprocess.run([*words, "--", *map(os.fspath, command)], **options)
    if not os.path.exists(output):
        raise Failed("mtrace run wrote no trace: it ended with status %d" % result.returncode)
    if check:
        result.check_returncode()
    return Trace(output, status=result.returncode, _folder=folder)


def open(path):
    """The Trace in a file: one of mtrace's, or what Instruments recorded or exported."""
    if not os.path.exists(path):
        raise Failed("there is no %s" % os.fspath(path))
    return Trace(path)


class Object:
    """A part of a JSON document: its keys are attributes, and items."""

    def __init__(self, keys):
        self.__dict__.update(keys)

    def __getitem__(self, key):
        return self.__dict__[key]

    def __iter__(self):
        return iter(self.__dict__)

    def __contains__(self, key):
        return key in self.__dict__

    def __repr__(self):
        return "Object(%s)" % ", ".join(self.__dict__)


class Trace:
    """A trace. Each of its tables is an attribute, a pyarrow.Table: calls, command_buffers, waits, and what else tables names."""

    def __init__(self, path, status=None, _folder=None):
        self.path, self.status = os.path.abspath(path), status
        self._folder, self._exported, self._tables, self._report = _folder, None, {}, None

    def __repr__(self):
        return "Trace(%r)" % self.path

    @property
    def report(self):
        """The report, as its JSON document: report.serialization.verdict, report.threads[0].time.commit_ns."""
        if self._report is None:
            self._report = json.loads(_ask("report", "--json", "--", self.path), object_hook=Object)
        return self._report

    def text(self, *sections):
        """The report as people read it."""
        return _ask("report", *(["--section=" + ",".join(sections)] if sections else []), "--", self.path)

    def export(self, format, output, force=False):
        """Writes the trace for other tools: perfetto, chrome, speedscope, firefox, jsonl, csv or parquet. With force it replaces older files."""
        _ask("export", "--format=" + format, *(["--force"] if force else []), "--output=" + os.fspath(output), "--",
            self.path)
        return output

    @property
    def parquet(self):
        """A folder with a Parquet file for each table. It goes with the Trace."""
        if self._exported is None:
            folder = tempfile.mkdtemp(prefix="mtrace-")
            self._exported = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True), folder
            self.export("parquet", folder)
        return self._exported[1]

    @property
    def tables(self):
        """The names of the tables."""
        return sorted(name[: -len(".parquet")] for name in os.listdir(self.parquet) if name.endswith(".parquet"))

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.tables:
            raise AttributeError("a trace has no %r" % name)
        if name not in self._tables:
            try:
                import pyarrow.parquet
            except ImportError:
                raise Failed("tables need pyarrow: pip install mtrace[arrow]; or read %s" % self.parquet) from None
            self._tables[name] = pyarrow.parquet.read_table(os.path.join(self.parquet, name + ".parquet"))
        return self._tables[name]

    def __dir__(self):
        return [*super().__dir__(), *self.tables]


def _tracer():
    """The functions of the tracer that is in this process, or ones that do nothing."""
    process = ctypes.CDLL(None)

    def function(name):
        try:
            found = getattr(process, name)
        except AttributeError:
            return lambda *arguments: None
        found.restype = None
        return found

    return [function("mtrace_" + name) for name in ("mark", "scope_begin", "scope_end")]


_mark, _begin, _end = _tracer()


def mark(name):
    """Names this moment in the trace of this program."""
    _mark(name.encode())


@contextlib.contextmanager
def scope(name):
    """Names, in the trace of this program, the time that the block takes on this thread."""
    _begin(name.encode())
    try:
        yield
    finally:
        _end()

"""Traces, with their reports and tables."""

from __future__ import annotations

import html
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import weakref
from typing import Any, Iterable, Iterator, Sequence

from ._averages import KeyAverages
from ._tool import Failed, ask, program


def run(
    command: Sequence[Any],
    output: Any = None,
    flags: Iterable[str] = (),
    stacks: Sequence[str] | None = None,
    check: bool = True,
    **options: Any,
) -> Trace:
    """Runs a command, a list of words, under the tracer. Returns its Trace after the command has ended.

    output is the file to write; without it the file is temporary and is deleted with the Trace. stacks is a list of
    "native" and "python"; flags are further flags of mtrace run; options are passed to subprocess.run. With check, a
    command that fails raises subprocess.CalledProcessError; without, the Trace's status is its exit status. Raises
    Failed if no trace was written.
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


def open(path: Any) -> Trace:
    """Returns the Trace in a file: a trace of mtrace, or a recording or export of Instruments. Raises Failed if there
    is no such file; a file of another kind raises Failed when it is first read."""
    if not os.path.exists(path):
        raise Failed("there is no %s" % os.fspath(path))
    return Trace(path)


class Object:
    """A part of a JSON document. Its keys are attributes and items: o.verdict is o["verdict"]."""

    def __init__(self, keys: dict[str, Any]) -> None:
        self.__dict__.update(keys)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError("there is no %r, but %s" % (name, ", ".join(self.__dict__)))

    def __getitem__(self, key: str) -> Any:
        return self.__dict__[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __contains__(self, key: str) -> bool:
        return key in self.__dict__

    def __repr__(self) -> str:
        return "Object(%s)" % ", ".join(self.__dict__)


class Report(Object):
    """The report of a trace as its JSON document (mtrace.report/1). Called, it returns text: report() one screen,
    report("threads", "gpu") these sections."""

    def __init__(self, keys: dict[str, Any], trace: Trace) -> None:
        super().__init__(keys)
        self.__dict__["_trace"] = weakref.ref(trace)

    def __iter__(self) -> Iterator[str]:
        return (key for key in self.__dict__ if key != "_trace")

    def __call__(self, *sections: str) -> str:
        trace = self._trace()
        if trace is None:
            raise Failed("the Trace of this report is gone")
        return trace.text(*sections)


class Trace:
    """A trace. Its tables (calls, command_buffers, waits and all others that `tables` lists) are attributes, each a
    pyarrow.Table. Without pyarrow, pandas("calls") and polars("calls") return data frames. path is the file; status is
    the exit status of the command that run has run, otherwise None."""

    def __init__(self, path: Any, status: int | None = None, _folder: Any = None) -> None:
        self.path, self.status = os.path.abspath(path), status
        self._folder, self._exported, self._tables, self._report, self._database = (
            _folder,
            None,
            {},
            None,
            None,
        )  # type: Any, Any, dict, Any, Any

    def __repr__(self) -> str:
        return "Trace(%r)" % self.path

    @property
    def report(self) -> Report:
        """The Report, the JSON document as objects: report.serialization.verdict, report.threads[0].time.commit_ns.
        report() returns its text."""
        if self._report is None:
            document = json.loads(ask("report", "--json", "--", self.path), object_hook=Object)
            self._report = Report(document.__dict__, self)
        return self._report

    def text(self, *sections: str) -> str:
        """Returns the report as text: one screen, or these sections."""
        return ask("report", *(["--section=" + ",".join(sections)] if sections else []), "--", self.path)

    def key_averages(self) -> KeyAverages:
        """Returns the sums by call and by kernel, in the form of torch.profiler:
        key_averages().table(sort_by="total_ns")."""
        return KeyAverages(self.report)

    def html(self) -> str:
        """Returns the HTML page of the report, with its timeline, as text. It needs no other file."""
        return ask("report", "--html", "-", "--", self.path)

    def _repr_html_(self) -> str:
        verdict = self.report.serialization
        return (
            '<p><b>%s</b>: %s</p><iframe sandbox="allow-scripts" style="width:100%%;height:40rem;border:0" '
            'srcdoc="%s"></iframe>'
            % (html.escape(verdict.verdict), html.escape(verdict.summary), html.escape(self.html()))
        )

    def export(self, format: str, output: Any, force: bool = False) -> Any:
        """Writes the trace for other tools: perfetto, chrome, speedscope, firefox, jsonl, csv, parquet or sqlite.
        Returns output. With force it replaces existing files; otherwise these raise Failed."""
        ask(
            "export",
            "--format=" + format,
            *(["--force"] if force else []),
            "--output=" + os.fspath(output),
            "--",
            self.path,
        )
        return output

    def _temporary(self) -> str:
        """Returns the path of a new folder, which is deleted with the Trace."""
        folder = tempfile.mkdtemp(prefix="mtrace-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    @property
    def sqlite(self) -> sqlite3.Connection:
        """A connection to an SQLite database with the tables of the trace, and views. It is deleted with the Trace."""
        if self._database is None:
            path = self.export("sqlite", os.path.join(self._temporary(), "t.sqlite"))
            self._database = sqlite3.connect(path)
        return self._database

    def _known(self, table: str) -> str:
        names = [name for name, in self.sqlite.execute("SELECT name FROM sqlite_master ORDER BY rowid")]
        if table not in names:
            raise Failed("a trace has no table %r, but %s" % (table, ", ".join(names)))
        return table

    def pandas(self, table: str) -> Any:
        """Returns a table, or a view of sqlite, as a pandas.DataFrame. Needs pandas, and no pyarrow. Raises Failed if
        there is no such table."""
        import pandas

        return pandas.read_sql_query('SELECT * FROM "%s"' % self._known(table), self.sqlite)

    def polars(self, table: str) -> Any:
        """Returns a table, or a view of sqlite, as a polars.DataFrame. Needs polars, and no pyarrow. Raises Failed if
        there is no such table."""
        import polars

        rows = self.sqlite.execute('SELECT * FROM "%s"' % self._known(table))
        names = [column[0] for column in rows.description]
        return polars.DataFrame(rows.fetchall(), schema=names, orient="row", infer_schema_length=None)

    @property
    def parquet(self) -> str:
        """The path of a folder with a Parquet file for each table. It is deleted with the Trace."""
        if self._exported is None:
            self._exported = self.export("parquet", self._temporary())
        return self._exported

    @property
    def tables(self) -> list[str]:
        """The names of the tables, sorted."""
        return sorted(name[: -len(".parquet")] for name in os.listdir(self.parquet) if name.endswith(".parquet"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.tables:
            raise AttributeError("a trace has no %r" % name)
        if name not in self._tables:
            try:
                import pyarrow.parquet
            except ImportError:
                raise Failed(
                    "tables need pyarrow: pip install mtrace[arrow]; or read %s, or ask for pandas(%r) or polars(%r)"
                    % (self.parquet, name, name)
                ) from None
            self._tables[name] = pyarrow.parquet.read_table(os.path.join(self.parquet, name + ".parquet"))
        return self._tables[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

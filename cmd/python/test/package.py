"""Checks the installed package. Usage: package.py WORKLOAD [tables]; with tables, also its tables in pyarrow, pandas,
Polars and DuckDB."""
import os
import subprocess
import sys
import tempfile

import mtrace

workload = sys.argv[1]
words = ["--op", "axpy", "--size", "4096", "--threads", "2", "--iters", "20", "--sync-mode", "event"]
program = """
import runpy, sys, mtrace
sys.argv[1:] = %r
with mtrace.scope("epoch"):
    mtrace.mark("go")
    try: runpy.run_path(%r, run_name="__main__")
    except SystemExit as end: assert not end.code, end.code
""" % (words, workload)

# A program that is not traced.
with mtrace.scope("nobody sees this"):
    mtrace.mark("nor this")

folder = tempfile.mkdtemp()
t = mtrace.run([sys.executable, "-c", program], output=os.path.join(folder, "t.mtrace"), stdout=subprocess.DEVNULL)
assert t.status == 0 and repr(t) == "Trace(%r)" % os.path.join(folder, "t.mtrace"), t
r = t.report
calls = {}
for c in r.calls:
    calls[c.selector] = calls.get(c.selector, 0) + c.count
assert r.schema == "mtrace.report/1" and r["schema"] == r.schema and r.lost.total == 0, r
assert {"epoch", "go"} <= {s.name for s in r.scopes}, [s.name for s in r.scopes]
assert calls["commit"] >= 40 and all(th.time.outside_ns >= 0 for th in r.threads), calls
assert r.serialization.verdict.upper() in t.text("verdict"), t.text("verdict")
assert "THREADS" in t.text("threads") and "VERDICT" not in t.text("threads")
t.export("perfetto", os.path.join(folder, "t.pftrace"))
assert os.path.getsize(os.path.join(folder, "t.pftrace")) > 0
assert "command_buffers" in t.tables and "waits" in dir(t), t.tables

gone = mtrace.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL)
path = gone.path
assert os.path.exists(path)
del gone
assert not os.path.exists(os.path.dirname(path)), path

for wrong in (lambda: mtrace.open(os.path.join(folder, "nowhere.mtrace")), lambda: mtrace.open(__file__).report):
    try:
        wrong()
        raise SystemExit("a file that is not a trace was opened")
    except mtrace.Failed as why:
        assert "\n" not in str(why) and str(why), why
try:
    mtrace.run([sys.executable, "-c", "raise SystemExit(3)"], flags=["--keep-empty"])
    raise SystemExit("a program that failed was passed over")
except subprocess.CalledProcessError as failed:
    assert failed.returncode == 3, failed
assert mtrace.run([sys.executable, "-c", "raise SystemExit(3)"], check=False).status == 3
try:
    t.colours
    raise SystemExit("a table that is not there was given")
except AttributeError:
    pass
for command in ([os.path.join(os.path.dirname(sys.executable), "mtrace")], [sys.executable, "-m", "mtrace"]):
    said = subprocess.run([*command, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert said.startswith("mtrace ") and "not found" not in said, said

if sys.argv[2:] != ["tables"]:
    try:
        t.calls
        raise SystemExit("there is a pyarrow: ask for tables")
    except mtrace.Failed as why:
        assert "pip install" in str(why), why
    raise SystemExit

import duckdb
import pandas
import polars
import pyarrow

calls_table = t.calls
assert isinstance(calls_table, pyarrow.Table) and isinstance(t.command_buffers, pyarrow.Table)
for name in t.tables:
    assert not any(pyarrow.types.is_unsigned_integer(column.type)
        for column in getattr(t, name).schema), "Spark has no unsigned numbers: %s" % getattr(t, name).schema
commits = calls["commit"]
assert (t.pandas("calls").selector == "commit").sum() == commits  # through SQLite, without pyarrow
assert t.polars("calls").filter(polars.col("selector") == "commit").height == commits
assert t.pandas("time_by_call").calls.sum() == len(t.pandas("calls"))
frame = calls_table.to_pandas()
assert isinstance(frame, pandas.DataFrame) and (frame.selector == "commit").sum() == commits
assert polars.from_arrow(calls_table).filter(polars.col("selector") == "commit").height == commits
assert duckdb.sql("SELECT count(*) FROM calls_table WHERE selector = 'commit'").fetchall() == [(commits,)]
total = {c.selector: c.total_ns for c in r.calls}["commit"]
assert duckdb.sql("SELECT sum(duration_ns) FROM calls_table WHERE selector = 'commit'").fetchall() == [(total,)], total

# The exports of two runs are one dataset.
other = mtrace.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL)
dataset = os.path.join(folder, "dataset")
for run in (t, other):
    subprocess.run([mtrace.program(), "export", "--format=parquet", "--partition=run", "--output=" + dataset, run.path],
        check=True, stdout=subprocess.DEVNULL)
of_both = duckdb.sql(
    "SELECT run, count(*) FROM read_parquet('%s/calls/**/*.parquet', hive_partitioning = true) "
    "WHERE selector = 'commit' GROUP BY run ORDER BY run" % dataset
).fetchall()
assert [n for _, n in of_both] == [commits, commits] and of_both[0][0] < of_both[1][0], of_both
lazily = polars.scan_parquet(os.path.join(dataset, "calls"), hive_partitioning=True).filter(
    polars.col("selector") == "commit").group_by("host", "run").len().collect()
assert sorted(lazily["len"]) == [commits, commits] and sorted(lazily["run"]) == [run for run, _ in of_both], lazily
assert set(pandas.read_parquet(os.path.join(dataset, "waits")).run.astype("int64")) == {run for run, _ in of_both}
try:
    from pyspark.sql import SparkSession
except ImportError:
    SparkSession = None
if SparkSession:
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", "1").getOrCreate()
    session.read.parquet(os.path.join(dataset, "calls")).createOrReplaceTempView("calls")
    rows = session.sql(
        "SELECT host, run, count(*) FROM calls WHERE selector = 'commit' GROUP BY host, run ORDER BY run"
    ).collect()
    assert [(row[1], row[2]) for row in rows] == of_both, (rows, of_both)
    types = {kind for name in t.tables for _, kind in session.read.parquet(os.path.join(dataset, name)).dtypes}
    assert types <= {"bigint", "string", "boolean", "int"}, types
    session.stop()

print("pyarrow %s, pandas %s, polars %s, duckdb %s" % (pyarrow.__version__, pandas.__version__, polars.__version__,
    duckdb.__version__))

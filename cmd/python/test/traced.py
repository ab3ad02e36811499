"""Checks traced functions, schedules, sums by name and the notebook's cell. Usage: traced.py WORKLOAD"""

import io
import os
import runpy
import subprocess
import sys
import tempfile

import mtrace

WORDS = ["--op", "axpy", "--size", "4096", "--threads", "2", "--iters", "10", "--sync-mode", "event"]


class Answer:
    def __init__(self, value):
        self.value = value


def work(workload):
    sys.argv[1:] = WORDS
    printed, sys.stdout = sys.stdout, io.StringIO()
    try:
        runpy.run_path(workload, run_name="__main__")
    except SystemExit as end:
        assert not end.code, end.code
    finally:
        sys.stdout = printed


@mtrace.traced
def step(workload, answer):
    with mtrace.trace("folder/block.mtrace"), mtrace.schedule(wait=1, warmup=1, active=2) as steps:
        for _ in range(4):
            work(workload) if steps.number == 2 else None
            steps.step()
    return Answer(answer.value + 1)


@mtrace.traced(stacks=None, flags=["--keep-empty"])
def fails():
    raise KeyError("as it was raised")


def main():
    workload = os.path.abspath(sys.argv[1])
    assert step(workload, Answer(41)).value == 42
    trace = step.trace
    names = {s.name: s.count for s in trace.report.scopes}
    assert names.get("warmup") == 1 and names.get("active") == 2 and names.get("wait") == 2, names
    assert names.get("block") == 1, names
    try:
        with mtrace.trace("t.mtrace"):
            raise SystemExit("a block of a process that is not traced ran as if it were")
    except mtrace.Failed as why:
        assert "\n" not in str(why) and "mtrace run -o t.mtrace -- " in str(why) and "traced.py" in str(why)
    assert step.__name__ == "step" and trace.status == 0
    try:
        fails()
        raise SystemExit("what failed in the child did not fail here")
    except KeyError as why:
        assert why.args == ("as it was raised",), why
    try:
        mtrace.traced(lambda: 1)()
        raise SystemExit("a function without a name was sent to a child")
    except mtrace.Failed as why:
        assert "\n" not in str(why), why

    plan = mtrace.schedule(wait=1, warmup=2, active=2, repeat=1, skip_first=1)
    assert [plan.phase(n) for n in range(8)] == ["skip", "wait", "warmup", "warmup", "active", "active", "done", "done"]
    assert list(plan.over("abc")) == ["a", "b", "c"] and plan.number == 3
    for wrong in (
        lambda: mtrace.schedule(wait=0, warmup=0, active=0),
        lambda: trace.key_averages().table(sort_by="colour"),
    ):
        try:
            wrong()
            raise SystemExit("an impossible argument was accepted")
        except ValueError:
            pass

    averages = trace.key_averages()
    commits = sum(a.count for a in averages if a.key.split(" of ")[0] == "commit")
    assert commits == sum(c.count for c in trace.report.calls if c.selector == "commit") > 0, averages
    lines = averages.table(sort_by="count", row_limit=3).splitlines()
    assert len(lines) == 5 and lines[0].startswith("name") and lines[-1].startswith("… and"), lines
    most = max(averages, key=lambda a: a.total_ns)
    assert averages.table(sort_by="cpu_time_total").splitlines()[1].startswith(most.key), averages
    assert (
        "VERDICT" in trace.report() and trace.report.schema == "mtrace.report/1" and "_trace" not in list(trace.report)
    )
    page = trace._repr_html_()
    assert (
        trace.report.serialization.verdict in page
        and "srcdoc" in page
        and "<script>" not in page
        and "page-data" in page
    ), page[:200]
    count = trace.sqlite.execute("SELECT count(*) FROM calls WHERE selector = 'commit'").fetchone()[0]
    assert count == commits, (count, commits)
    assert trace.sqlite.execute("SELECT calls FROM time_by_call WHERE selector = 'commit'").fetchone()[0] == commits
    assert mtrace.__version__ == "1.2.3", mtrace.__version__
    folder = os.path.dirname(mtrace.__file__)
    for path in ("py.typed", "include/marks.h", "bin/mtrace-selftest", "bin/rawmetal", "bin/shaders/axpy.metal"):
        assert os.path.exists(os.path.join(folder, path)), path
    test = subprocess.run([mtrace.program(), "doctor"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert "not beside the tool" not in test.stdout, test.stdout
    bench = subprocess.run(
        [mtrace.program(), "bench", "acquire"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert bench.returncode == 0, bench.stdout

    # The cell of a notebook, with as much of IPython as it needs.
    class Shell:
        user_ns = {}
        magics = {}

        def register_magic_function(self, function, kind, name):
            self.magics[name] = kind, function

    shell = Shell()
    mtrace.load_ipython_extension(shell)
    kind, cell = shell.magics["mtrace"]
    kept, sys.stdout = sys.stdout, io.StringIO()
    try:
        shown = cell(
            "--stacks native run",
            "import runpy, sys\nsys.argv[1:] = %r\nprint('said')\nrunpy.run_path(%r, run_name='__main__')\n"
            % (WORDS, workload),
        )
        said = sys.stdout.getvalue()
    finally:
        sys.stdout = kept
    assert kind == "cell" and shell.user_ns["run"] is shown and "said\n" in said and "process of its own" in said, said
    assert any(c.selector == "commit" for c in shown.report.calls)


if __name__ == "__main__":
    main()

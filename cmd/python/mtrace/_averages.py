"""Sums by name, in the form of torch.profiler."""

from __future__ import annotations

from typing import Any, Iterator

# Names of columns as torch.profiler has them.
ALIKE = {
    "cpu_time_total": "total_ns",
    "self_cpu_time_total": "exclusive_ns",
    "cpu_time": "mean_ns",
    "cuda_time_total": "gpu_ns",
    "device_time_total": "gpu_ns",
}
COLUMNS = ("count", "total_ns", "exclusive_ns", "mean_ns", "p50_ns", "p95_ns", "max_ns", "gpu_ns")


class Average:
    """The sums of one call (as selector of class) or of one kernel. key is its name; the other attributes are the count
    and the times in nanoseconds that COLUMNS lists, 0 where there is none. A kernel's GPU time is gpu_ns."""

    def __init__(self, key: str, **columns: int) -> None:
        self.key = key
        for name in COLUMNS:
            setattr(self, name, columns.get(name, 0))

    def __repr__(self) -> str:
        return "Average(%r, count=%d)" % (self.key, self.count)  # type: ignore[attr-defined]


class KeyAverages:
    """The sums of all calls and kernels of a trace: a sequence of Average."""

    def __init__(self, report: Any) -> None:
        self._list = [
            Average(
                c.selector + (" of " + c["class"] if c["class"] else ""),
                count=c.count,
                total_ns=c.total_ns,
                exclusive_ns=c.exclusive_ns,
                mean_ns=c.mean_ns,
                p50_ns=c.p50_ns,
                p95_ns=c.p95_ns,
                max_ns=c.max_ns,
            )
            for c in report.calls
        ]
        self._list += [
            Average("kernel " + k.name, count=k.dispatches, gpu_ns=k.gpu_ns, mean_ns=k.mean_ns) for k in report.kernels
        ]

    def __iter__(self) -> Iterator[Average]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __getitem__(self, place: int) -> Average:
        return self._list[place]

    def table(self, sort_by: str = "total_ns", row_limit: int = 20) -> str:
        """Returns the sums as a table of text, the largest first. sort_by is one of COLUMNS or torch.profiler's name
        for it; another name raises ValueError. row_limit is the maximum number of rows; -1 means all."""
        column = ALIKE.get(sort_by, sort_by)
        if column not in COLUMNS:
            raise ValueError("there is no column %r to sort by: %s" % (sort_by, ", ".join(COLUMNS)))
        rows = sorted(self._list, key=lambda a: getattr(a, column), reverse=True)
        shown = rows if row_limit < 0 else rows[:row_limit]
        lines = [("name", "calls", "total", "self", "mean", "median", "95%", "longest", "GPU")]
        for a in shown:
            times = [duration(getattr(a, name)) for name in COLUMNS[1:]]  # type: ignore[attr-defined]
            lines.append((a.key, "{:,}".format(a.count), *times))
        width = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        text = [
            "  ".join(cell.ljust(width[0]) if i == 0 else cell.rjust(width[i]) for i, cell in enumerate(line))
            for line in lines
        ]
        if len(shown) < len(rows):
            text.append("… and %d more" % (len(rows) - len(shown)))
        return "\n".join(text)

    def __repr__(self) -> str:
        return self.table()


def duration(ns: int) -> str:
    """Returns nanoseconds as text with a unit, as in the report; 0 is a point."""
    if ns == 0:
        return "·"
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= 0.9995 * unit:
            x = ns / unit
            return ("%.2f" if x < 9.995 else "%.1f" if x < 99.95 else "%.0f") % x + " " + name
    return "%d ns" % ns

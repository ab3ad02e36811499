-- Who waited for work that who had committed, and for how long: of the time, while the GPU ran it and while it ran other threads' work.
SELECT w.pid AS pid, w.tid AS waited, b.committed_by AS for_work_of, count(*) AS waits, sum(w.duration_ns) AS total_ns,
  sum(coalesce(w.executing_ns, 0)) AS executing_ns, sum(coalesce(w.queued_other_ns, 0)) AS queued_other_ns, sum(coalesce(w.foreign_ns, 0)) AS foreign_ns
FROM waits AS w
JOIN command_buffers AS b ON b.pid = w.pid AND b.command_buffer = w.command_buffer
GROUP BY w.pid, w.tid, b.committed_by
ORDER BY total_ns DESC, pid, waited, for_work_of

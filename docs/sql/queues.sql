-- How long command buffers of each queue stood behind their commit before the GPU began, and how long it worked on them.
SELECT q.pid AS pid, q.queue AS queue, coalesce(q.label, '') AS label, count(*) AS command_buffers,
  sum(b.gpu_begin_ns - b.commit_end_ns) AS queued_ns, max(b.gpu_begin_ns - b.commit_end_ns) AS longest_queued_ns, sum(b.gpu_ns) AS gpu_ns
FROM queues AS q
JOIN command_buffers AS b ON b.pid = q.pid AND b.queue = q.queue
WHERE b.gpu_begin_ns IS NOT NULL AND b.commit_end_ns IS NOT NULL
GROUP BY q.pid, q.queue, coalesce(q.label, '')
ORDER BY pid, queue

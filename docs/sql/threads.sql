-- What each thread spent its time on; the parts add up to its window.
SELECT pid, tid, coalesce(name, '') AS thread_name, end_ns - begin_ns AS window_ns, encode_ns, commit_ns, acquire_ns, compile_ns, allocate_ns, lock_ns,
  wait_executing_ns + wait_queued_own_ns + wait_queued_other_ns + wait_scheduling_ns + wait_notify_ns + wait_foreign_ns AS waiting_ns, other_api_ns, outside_ns
FROM threads
ORDER BY pid, tid

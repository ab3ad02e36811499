-- How often each kernel was dispatched, from how many encoders, and with how many threads.
SELECT coalesce(kernel, '') AS kernel_name, sum(count) AS dispatches, count(DISTINCT encoder) AS encoders, sum(coalesce(threads, 0)) AS total_threads
FROM dispatches
GROUP BY coalesce(kernel, '')
ORDER BY dispatches DESC, kernel_name

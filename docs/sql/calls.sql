-- What calls cost: the whole time of each, nested calls included.
SELECT selector, count(*) AS calls, sum(duration_ns) AS total_ns, min(duration_ns) AS shortest_ns, max(duration_ns) AS longest_ns
FROM calls
GROUP BY selector
ORDER BY total_ns DESC, selector

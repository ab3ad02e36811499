-- Command buffers that failed, by error.
SELECT coalesce(error_code, 0) AS code, coalesce(error, '') AS why, count(*) AS command_buffers
FROM command_buffers
WHERE status = 'error'
GROUP BY coalesce(error_code, 0), coalesce(error, '')
ORDER BY command_buffers DESC, code, why

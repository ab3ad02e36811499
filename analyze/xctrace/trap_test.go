package xctrace

const twoNodes = `<?xml version="1.0"?>
<trace-query-result>
</trace-query-result>`

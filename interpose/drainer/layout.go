package drainer

// The layout of the shared memory and the frames, copied from collector/wire. collector/wire itself cannot be imported:
// it imports fmt and thereby os, which must not run in the traced program. TestLayout fails if the two layouts differ.
const (
	pageSize       = 16384
	ringCount      = 256
	recordSize     = 32
	recordsPerRing = 65536
	chunkRecords   = 512
	chunksPerRing  = recordsPerRing / chunkRecords
	factsPerRing   = 131072
	ringStride     = pageSize + recordsPerRing*recordSize + factsPerRing

	regionRingsUsed = 28

	ringHead      = 0
	ringFactsHead = 16
	ringTail      = 128
	ringFactsTail = 136
	ringClaim     = 256
	ringState     = 384
	ringChunks    = 1664

	stateExited  = 2
	claimNobody  = 0
	claimDrainer = 1

	frameRecords = 3
	frameFacts   = 4
)

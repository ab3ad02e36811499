package analyze

// partNames are the names of the parts of a thread's time in all reports, pages, profiles and timelines. docs/terms.md
// explains them.
var partNames = [PartCount]string{
	PartEncode:          "encode",
	PartCommit:          "commit",
	PartAcquire:         "acquire",
	PartCompile:         "compile",
	PartAllocate:        "allocate",
	PartLock:            "lock",
	PartDrawable:        "drawable",
	PartWaitExecuting:   "executing",
	PartWaitQueuedOwn:   "queued behind own work",
	PartWaitQueuedOther: "queued behind other threads",
	PartWaitScheduling:  "scheduling",
	PartWaitNotify:      "notify",
	PartWaitForeign:     "cross-thread",
	PartOtherAPI:        "other API",
	PartOutside:         "outside Metal",
}

// Name is the part's name in texts for users.
func (p Part) Name() string { return partNames[p] }

package analyze

// A Part is one category of a thread's time, such as encoding or waiting for a lock. Most parts are the time in
// calls of one kind. A wait for the GPU is divided among several parts by what the GPU did meanwhile: executing,
// working for others and so on.
type Part uint8

// The parts (categories) of a thread's time, in the order in which reports list them.
const (
	PartEncode Part = iota
	PartCommit
	PartAcquire
	PartCompile
	PartAllocate
	PartLock
	PartDrawable
	PartWaitExecuting
	PartWaitQueuedOwn
	PartWaitQueuedOther
	PartWaitScheduling
	PartWaitNotify
	PartWaitCrossThread
	PartOtherAPI
	PartOutside
	PartCount = iota
)

var partKeys = [PartCount]string{"encode_ns", "commit_ns", "acquire_ns", "compile_ns", "allocate_ns", "lock_ns",
	"drawable_ns", "wait_executing_ns", "wait_queued_own_ns",
	"wait_queued_other_ns", "wait_scheduling_ns", "wait_notify_ns", "wait_foreign_ns", "other_api_ns", "outside_ns"}

// Key is the part's key in JSON reports, such as "encode_ns".
func (p Part) Key() string { return partKeys[p] }

// partNames are the names of the parts in all reports, pages, profiles and timelines; docs/terms.md explains each.
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
	PartWaitCrossThread: "cross-thread",
	PartOtherAPI:        "other API",
	PartOutside:         "outside Metal",
}

// Name is the part's name in reports and pages, such as "queued behind own work".
func (p Part) Name() string { return partNames[p] }

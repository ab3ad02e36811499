// The table of all features: functions that the rest of the library calls at certain events, in this order
// (core/feature.h). A feature that is missing here is never called.
#include "core/feature.h"
#include "core/delay.h"
#include "features/bindings.h"
#include "features/capture.h"
#include "features/completion.h"
#include "features/early.h"
#include "features/feedback.h"
#include "features/layers.h"
#include "features/memory.h"
#include "features/polls.h"
#include "features/sampling.h"
#include "features/scopes.h"
#include "hook/base.h"
#include "hook/canary.h"
#include "hook/coverage.h"
#include "hook/loads.h"
#include "hook/methods.h"
#include "hook/skip.h"
#include "stacks/python.h"
#include "stacks/stack.h"
#include "top/drainer.h"
#include "waits/handoff.h"
#include "waits/locks.h"
#include "waits/replaced.h"

const struct mt_feature mt_features[] = {
    {.load = mt_skip_start},
    {.connected = mt_base_hook, .prepare = mt_methods_prepare}, // the hooks themselves
    {.load = mt_canary_start},
    {.load = mt_capture_start},
    {.thread_opening = mt_audit_open}, // counts calls of methods that every command buffer passes
    {.begin = mt_completion_start, .class_seen = mt_completion_see},
    {.begin = mt_python_find},
    {.load = mt_stack_start, .begin = mt_stack_say, .thread_opening = mt_stack_open,
        .fork_begins = mt_stack_fork_begins, .fork_over = mt_stack_fork_over},
    {.connected = mt_waits_check, .thread_opening = mt_lock_open},
    {.thread_opening = mt_handoff_open},
    {.thread_opening = mt_delay_open}, // must run before the thread's first record
    // marks from before the first Metal call
    {.begin = mt_early_count, .thread_opened = mt_early_replay, .fork_starts_over = mt_early_forget},
    {.thread_opening = mt_scopes_open, .thread_left = mt_scopes_end},
    {.load = mt_sampling_start, .class_seen = mt_sampling_see_class, .completed = mt_sampling_completed},
    {.class_seen = mt_memory_see, .completed = mt_memory_completed},
    {.class_seen = mt_feedback_see},
    {.thread_opening = mt_poll_open},
    {.thread_opening = mt_bindings_open},
    {.begin = mt_loads_start, .look = mt_layers_look},
    {.begin = mt_drainer_start},
};
const unsigned mt_feature_count = sizeof mt_features / sizeof *mt_features;

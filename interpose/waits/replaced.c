// See replaced.h.
#include "waits/replaced.h"
#include "core/session.h"
#include "wire.h"

void mt_waits_check(void) {
  if (!mt_waits_replaced())
    mt_session_warn(MT_WAITS_UNSEEN, "waits for locks and signals are not recorded: "
        "dyld has loaded the tracer's library into this process, but ignores its replacements of functions");
}

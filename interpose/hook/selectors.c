// The selectors of the calls of Metal's, by call.
#include "hook/hooks.h"
#include "wire.h"

const char *const mt_selectors[] = MT_SELECTORS;

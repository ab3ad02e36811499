// The selectors of Metal's calls, by call.
#include "hook/hooks.h"
#include "wire.h"

const char *const mt_selectors[] = MT_SELECTORS;

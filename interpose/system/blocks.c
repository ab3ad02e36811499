// See blocks.h.
#include "system/blocks.h"

struct mt_blocks mt_blocks;

// SPDX-License-Identifier: Apache-2.0
// What a permission ask permits, whole, as lines for a terminal: the command, the change as a diff,
// the plan, and every other argument of the tool. Signs tell what is added and removed, not colours
// alone. The text is made safe. Pure.
#pragma once

#include "parley/values.h"
#include "prompt/block.h"

namespace parley {

// Left out is what the summary, which stands above the choices, already says whole.
Block permission_block(const PermissionRequest& request, int cells, Charset charset);

}  // namespace parley

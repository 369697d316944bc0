// SPDX-License-Identifier: Apache-2.0
// Events are part of the vocabulary that embedding programs share: see parley/event.h.
#pragma once

#include "parley/event.h"

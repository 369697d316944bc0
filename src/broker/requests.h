// SPDX-License-Identifier: Apache-2.0
// What is asked of the broker and what it replies: the public requests (parley/requests.h), the
// queries and pages of core, and Done, the callback that takes a reply.
#pragma once

#include "base/done.h"
#include "core/queries.h"
#include "parley/requests.h"

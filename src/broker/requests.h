// SPDX-License-Identifier: Apache-2.0
// What is asked of the broker and what it replies: the public requests (parley/requests.h), the
// queries and pages of the store, and Done, the callback that takes a reply.
#pragma once

#include "parley/requests.h"
#include "store/store.h"

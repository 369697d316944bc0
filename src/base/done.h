// SPDX-License-Identifier: Apache-2.0
// How an operation that takes its time tells what came of it: called once, with the outcome.
#pragma once

#include "base/result.h"
#include "base/unique_function.h"

namespace parley {

template <class T>
using Done = UniqueFunction<void(Result<T>)>;

}  // namespace parley

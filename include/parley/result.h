// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. Everything that the outside can cause fails this way; exceptions
// are left for what no caller can decide.
#pragma once

#include <tl/expected.hpp>

#include "parley/error.h"

namespace parley {

template <class T>
using Result = tl::expected<T, Error>;

}  // namespace parley

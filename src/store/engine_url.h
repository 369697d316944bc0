// SPDX-License-Identifier: Apache-2.0
// Which store a program means: "memory:", "sqlite:PATH", or an address of PostgreSQL. Nothing is
// opened here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/private_file.h"
#include "base/result.h"
#include "store/engine.h"

namespace parley {

// The clock must outlive the engine, which tells `on_mended` on its own thread. An Error says what
// the URL should look like.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(std::string_view url, const Clock& clock,
                                                          OnMended on_mended = {});
// Whether it waits for a disk: such an engine has a thread of its own, any other lives on the loop.
bool needs_thread(std::string_view url);
// The same without a password, to be shown.
std::string shown_url(std::string_view url);

}  // namespace parley

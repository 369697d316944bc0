// SPDX-License-Identifier: Apache-2.0
// Export, import, and one store into another: rows one by one, counted, and what was filled is
// compared with what it was filled from before it counts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/archive/archive.h"
#include "store/archive/lines.h"

namespace parley {

// Told after every row; an Error ends the copy.
using CopyProgress = std::function<Result<void>(const ArchiveCounts&)>;
// A line without its break; false at the end. What it gives lives until the next call.
using LineSource = std::function<Result<bool>(std::string_view& line)>;
using LineTarget = std::function<Result<void>(std::string_view line)>;

[[nodiscard]] Result<ArchiveCounts> export_lines(Archive& from, const LineTarget& target,
                                                 const CopyProgress& progress);
// All or nothing. An error names the line that it is about.
[[nodiscard]] Result<ArchiveCounts> import_lines(const LineSource& source, Archive& to,
                                                 const CopyProgress& progress);
[[nodiscard]] Result<ArchiveCounts> copy_archive(Archive& from, Archive& to,
                                                 const CopyProgress& progress);

}  // namespace parley

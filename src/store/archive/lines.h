// SPDX-License-Identifier: Apache-2.0
// An export is a file of lines, each one JSON object (docs/formats/export.md): its head, a row of
// the store each, its end. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "store/archive/archive.h"

namespace parley {

inline constexpr std::int64_t kExportFormat = 1;

// How many rows there are of each kind, in the order of ArchiveRow.
struct ArchiveCounts {
    std::array<std::uint64_t, std::variant_size_v<ArchiveRow>> of = {};

    void add(const ArchiveRow& row) { ++of[row.index()]; }
    std::uint64_t all() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : of) sum += count;
        return sum;
    }
    bool operator==(const ArchiveCounts&) const = default;
};
// "sessions", "asks", …, in that order.
inline constexpr std::array<std::string_view, std::variant_size_v<ArchiveRow>> kArchiveKinds = {
    "sessions", "asks", "messages", "drafts", "snoozes", "tokens", "marks", "events"};

using ExportLine = std::variant<ArchiveBounds, ArchiveRow, ArchiveCounts>;

// Without the line break.
std::string to_line(const ArchiveBounds& head);
std::string to_line(const ArchiveRow& row);
std::string to_line(const ArchiveCounts& end);

// What cannot be read is `invalid`, an export of a newer program `unsupported`.
[[nodiscard]] Result<ExportLine> read_line(std::string_view line);

}  // namespace parley

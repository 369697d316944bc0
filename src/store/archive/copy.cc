// SPDX-License-Identifier: Apache-2.0
#include "store/archive/copy.h"

#include <optional>
#include <utility>
#include <variant>

#include "base/overload.h"

namespace parley {

namespace {

// What went by, and in which order (FNV-1a): enough to find what was lost or changed by accident.
class Tally {
public:
    void add(const ArchiveRow& row, std::string_view line) {
        counts_.add(row);
        for (const char byte : line) mix(static_cast<unsigned char>(byte));
        mix('\n');
    }
    const ArchiveCounts& counts() const { return counts_; }
    bool operator==(const Tally&) const = default;

private:
    void mix(unsigned char byte) {
        hash_ ^= byte;
        hash_ *= 0x100000001b3;
    }

    ArchiveCounts counts_;
    std::uint64_t hash_ = 0xcbf29ce484222325;
};

// Fills a store, and lets what was put count only if all of it can be read back as it came.
class Filling {
public:
    Filling(Archive& to, const CopyProgress& progress) : to_(to), progress_(progress) {}

    [[nodiscard]] Result<void> put(const ArchiveRow& row) {
        CHECK_OK(to_.put(row));
        tally_.add(row, to_line(row));
        return progress_(tally_.counts());
    }

    [[nodiscard]] Result<ArchiveCounts> finish() {
        CHECK_OK(to_.complete());
        ArchiveFaults faults;
        CHECK_OK(to_.check(faults));
        if (!faults.empty())
            return reject(ErrorCode::invalid, "what it holds does not agree with itself: {}",
                          faults.told().front());
        Tally stored;
        CHECK_OK(to_.dump([&](const ArchiveRow& row) -> Result<void> {
            stored.add(row, to_line(row));
            return progress_(tally_.counts());
        }));
        if (stored != tally_)
            return reject(ErrorCode::internal,
                          "what was stored is not what was given ({} rows of {} came back); "
                          "nothing was kept",
                          stored.counts().all(), tally_.counts().all());
        CHECK_OK(to_.commit());
        return tally_.counts();
    }

    const ArchiveCounts& counts() const { return tally_.counts(); }

private:
    Archive& to_;
    const CopyProgress& progress_;
    Tally tally_;
};

Rejection not_an_export(std::string_view why) {
    return reject(
        ErrorCode::invalid,
        "this is no whole export of Parley: {}. To fix it: give a file that `parley store "
        "export` wrote",
        why);
}

// Lines in their order: the head, rows by kind, the end.
class Import {
public:
    Import(Archive& to, const CopyProgress& progress) : to_(to), filling_(to, progress) {}

    [[nodiscard]] Result<void> take(std::string_view text) {
        ++number_;
        auto line = read_line(text);
        if (!line && !has_head_) return refuse_first(line.error());
        if (!line) return reject(line.error().code, "line {}: {}", number_, line.error().message);
        return std::visit([this](const auto& one) { return take_one(one); }, *line);
    }

    [[nodiscard]] Result<ArchiveCounts> finish() {
        if (!has_head_) return not_an_export("it is empty");
        if (!end_) return not_an_export("its end is missing");
        if (*end_ != filling_.counts())
            return not_an_export("its end names other numbers of rows than it has");
        return filling_.finish();
    }

private:
    static Rejection refuse_first(const Error& error) {
        if (error.code == ErrorCode::unsupported) return reject(error);
        return not_an_export(fmt::format("line 1: {}", error.message));
    }

    [[nodiscard]] Result<void> take_one(const ArchiveBounds& bounds) {
        if (std::exchange(has_head_, true)) return not_an_export("it has two heads");
        return to_.begin(bounds);
    }

    [[nodiscard]] Result<void> take_one(const ArchiveRow& row) {
        if (!has_head_) return not_an_export("it does not begin with its head");
        if (end_) return not_an_export("something follows its end");
        if (row.index() < kind_)
            return reject(ErrorCode::invalid, "line {}: it stands after rows that name it",
                          number_);
        kind_ = row.index();
        auto put = filling_.put(row);
        if (!put && put.error().code != ErrorCode::interrupted)
            return reject(put.error().code, "line {}: {}", number_, put.error().message);
        return put;
    }

    [[nodiscard]] Result<void> take_one(const ArchiveCounts& counts) {
        if (!has_head_ || end_) return not_an_export("its end stands where none belongs");
        end_ = counts;
        return {};
    }

    Archive& to_;
    Filling filling_;
    bool has_head_ = false;
    std::size_t kind_ = 0;
    std::uint64_t number_ = 0;
    std::optional<ArchiveCounts> end_;
};

}  // namespace

Result<ArchiveCounts> export_lines(Archive& from, const LineTarget& target,
                                   const CopyProgress& progress) {
    TRY(bounds, from.bounds());
    CHECK_OK(target(to_line(bounds)));
    ArchiveCounts counts;
    CHECK_OK(from.dump([&](const ArchiveRow& row) -> Result<void> {
        CHECK_OK(target(to_line(row)));
        counts.add(row);
        return progress(counts);
    }));
    CHECK_OK(target(to_line(counts)));
    return counts;
}

Result<ArchiveCounts> import_lines(const LineSource& source, Archive& to,
                                   const CopyProgress& progress) {
    Import import(to, progress);
    for (std::string_view line;;) {
        TRY(is_there, source(line));
        if (!is_there) return import.finish();
        CHECK_OK(import.take(line));
    }
}

Result<ArchiveCounts> copy_archive(Archive& from, Archive& to, const CopyProgress& progress) {
    TRY(bounds, from.bounds());
    CHECK_OK(to.begin(bounds));
    Filling filling(to, progress);
    CHECK_OK(from.dump([&](const ArchiveRow& row) { return filling.put(row); }));
    return filling.finish();
}

}  // namespace parley

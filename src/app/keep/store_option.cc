// SPDX-License-Identifier: Apache-2.0
#include "app/keep/store_option.h"

#include <fmt/format.h>

#include <array>

#include "store/engine_url.h"
#include "text/json_object.h"

namespace parley::app {

OptionSpec StoreOption::spec() {
    return {.names = "--store",
            .value = "URL",
            .help = "sqlite:PATH or postgres://… (default: what `parley serve` would use)",
            .target = &store_,
            .setting = "serve.store"};
}

Result<std::string> StoreOption::url(const Environment& environment) const {
    if (store_ && (is_postgres(*store_) || sqlite_path(*store_))) return *store_;
    if (store_)
        return reject(ErrorCode::invalid,
                      "--store {}: expected sqlite:PATH or postgres://USER@HOST/DATABASE", *store_);
    const auto state = environment.state_folder();
    if (!state)
        return reject(ErrorCode::invalid, "there is no HOME to look for a store in; give --store");
    return "sqlite:" + (*state / "parley.db").string();
}

ExitCode fail_store(const RunContext& context, const Error& error) {
    context.complain(error.message);
    return error.code == ErrorCode::interrupted ? ExitCode::interrupted : ExitCode::failed;
}

std::string count_words(std::span<const KindCount> counts) {
    std::string words;
    for (auto [kind, count] : counts) {
        if (count == 0) continue;
        if (count == 1) kind.remove_suffix(1);
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, kind);
    }
    return words.empty() ? "nothing" : words;
}

std::string count_words(const ArchiveCounts& counts) {
    std::array<KindCount, kArchiveKinds.size()> named;
    for (std::size_t i = 0; i < named.size(); ++i) named[i] = {kArchiveKinds[i], counts.of[i]};
    return count_words(named);
}

std::string counts_document(const ArchiveCounts& counts) {
    return json::object_text([&](json::Writer& out) {
        for (std::size_t i = 0; i < kArchiveKinds.size(); ++i)
            out.key(kArchiveKinds[i]).number(counts.of[i]);
    });
}

}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
#include "agent/opencode/opencode_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/limits.h"
#include "dialect/opencode/server_events.h"
#include "wire/url.h"

namespace parley {

using opencode::Wish;

void OpencodeLists::read(OpencodeServer& server, std::vector<std::string> folders,
                         std::vector<std::string> places) {
    ++round_;
    unread_.clear();
    is_unread_told_ = false;
    folders_ = std::move(folders);
    std::ranges::reverse(folders_);
    find_folders(server, std::move(places));
}

// Of what waits from before, whose folders nobody has named.
void OpencodeLists::find_folders(OpencodeServer& server, std::vector<std::string> places) {
    if (places.empty()) return read_next(server);
    const std::string place = std::move(places.back());
    places.pop_back();
    server.read(fmt::format("/session/{}", wire::percent_encode(place)), {},
                alive_.guard([this, &server, places = std::move(places),
                              round = round_](const Result<json::Value>& info) mutable {
                    if (round != round_) return;
                    const std::string folder =
                        info ? opencode::read_session_facts(*info).directory : std::string();
                    const bool is_known = std::ranges::find(folders_, folder) != folders_.end();
                    if (!folder.empty() && !is_known) folders_.push_back(folder);
                    find_folders(server, std::move(places));
                }));
}

// The lists before who works: whose turn is over by then waits for nothing, and who asks after that
// tells so.
void OpencodeLists::read_next(OpencodeServer& server) {
    if (folders_.empty()) return all_read(server);
    const std::string folder = std::move(folders_.back());
    folders_.pop_back();
    read_of(server, folder, opencode::list_path(Wish::Kind::questions),
            [this, &server, folder](const json::Value& questions) {
                read_of(server, folder, opencode::list_path(Wish::Kind::permission),
                        [this, &server, folder, questions](const json::Value& permissions) {
                            read_of(server, folder, "/session/status",
                                    [=, this, &server](const json::Value& status) {
                                        const auto busy = opencode::read_busy(status);
                                        sort_out(Wish::Kind::questions, folder, questions, busy);
                                        sort_out(Wish::Kind::permission, folder, permissions, busy);
                                        read_next(server);
                                    });
                        });
            });
}

// A folder that cannot be read keeps no other from being.
void OpencodeLists::read_of(OpencodeServer& server, const std::string& folder,
                            std::string_view path, UniqueFunction<void(const json::Value&)> done) {
    server.read(path, folder,
                alive_.guard([this, &server, folder, round = round_,
                              done = std::move(done)](const Result<json::Value>& value) mutable {
                    if (round != round_) return;
                    if (value) return done(*value);
                    unread_.push_back(folder);
                    if (!std::exchange(is_unread_told_, true))
                        listener_.trouble(fmt::format(
                            "what OpenCode asks in {} cannot be read ({}); trying again",
                            folder.empty() ? "its own folder" : folder, value.error().message));
                    read_next(server);
                }));
}

void OpencodeLists::sort_out(Wish::Kind kind, const std::string& folder, const json::Value& list,
                             const std::vector<std::string>& busy) {
    auto wishes = opencode::read_wishes(kind, folder, list);
    for (Wish& wish : wishes.value_or(std::vector<Wish>())) {
        if (std::ranges::find(busy, wish.session) != busy.end()) {
            listener_.listed(std::move(wish));
        } else {
            listener_.left_over(wish);
        }
    }
}

// What was not listed may be in a folder that could not be read.
void OpencodeLists::all_read(OpencodeServer& server) {
    if (unread_.empty()) return listener_.all_listed();
    loop_.post_at(loop_.now() + limits::kOpencodeRetryMax,
                  alive_.guard([this, &server, round = round_] {
                      if (round != round_) return;
                      folders_ = std::exchange(unread_, {});
                      read_next(server);
                  }));
}

}  // namespace parley

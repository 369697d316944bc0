// SPDX-License-Identifier: Apache-2.0
// What an OpenCode server has open, read from its lists, folder by folder: after each connect,
// since nothing tells what happened before. Lives on the loop.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/opencode/opencode_server.h"
#include "base/lifetime.h"
#include "dialect/opencode/wishes.h"

namespace parley {

class OpencodeLists {
public:
    class Listener {
    public:
        virtual ~Listener() = default;
        // A turn waits for it.
        virtual void listed(opencode::Wish wish) = 0;
        // Nothing waits for it any more: OpenCode forgot to close it.
        virtual void left_over(const opencode::Wish& wish) = 0;
        // What was not listed is not open there.
        virtual void all_listed() = 0;
        virtual void trouble(const std::string& text) = 0;
    };

    OpencodeLists(net::Loop& loop, Listener& listener) : loop_(loop), listener_(listener) {}

    // Reads these folders, and those of the sessions `places`. A reading that goes on ends.
    void read(OpencodeServer& server, std::vector<std::string> folders,
              std::vector<std::string> places);
    void stop() { ++round_; }

private:
    void find_folders(OpencodeServer& server, std::vector<std::string> places);
    void read_next(OpencodeServer& server);
    void read_of(OpencodeServer& server, const std::string& folder, std::string_view path,
                 UniqueFunction<void(const json::Value&)> done);
    void sort_out(opencode::Wish::Kind kind, const std::string& folder, const json::Value& list,
                  const std::vector<std::string>& busy);
    void all_read(OpencodeServer& server);

    net::Loop& loop_;
    Listener& listener_;
    std::vector<std::string> folders_;  // still to be read, from the end
    std::vector<std::string> unread_;   // could not be
    bool is_unread_told_ = false;
    std::uint64_t round_ = 0;
    Lifetime alive_;
};

}  // namespace parley

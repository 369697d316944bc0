// SPDX-License-Identifier: Apache-2.0
// What a running broker says of itself in its log, and in which words: one name for each event, all
// of them in docs/operations.md. What goes on failing for one cause is said once. No secret and
// nothing that agents or people wrote comes here. Belongs to the loop's thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "broker/broker.h"
#include "door/access.h"
#include "net/http_server.h"
#include "store/retention.h"

namespace parley::app {

class ServerLog {
public:
    explicit ServerLog(Log& log) : log_(log) {}

    struct Place {
        std::string url;
        std::string socket;
        std::string store;
    };
    void started(const Place& place, std::string_view version);
    void not_started(std::string_view why);
    void stopping();
    void stopped();

    void store(LoopBroker::StoreNews news, const std::string& detail);
    // What went since it was kept for long enough, or why it could not.
    void pruned(const Result<Pruned>& pruned);
    void access(const AccessNews& news);
    void trouble(const net::Trouble& trouble);
    // That the process nears its bound, or is well below it again.
    void memory(bool is_short, std::size_t bytes, std::size_t bytes_max);
    void request(const net::AccessRecord& record);
    // Others could read or write the file, and cannot any more.
    void mended(const std::string& path);
    void certificate(const Result<void>& reloaded);
    // Of an agent that runs elsewhere.
    void joined(bool is_trouble, std::string_view says);
    // Of the program that is told of asks.
    void notify_failed(std::string_view event, const std::string& ask, const std::string& why);
    void notify_dropped(std::size_t count);
    // Of the others on the same store.
    void nodes(std::string_view says);
    void demo(std::string_view says);
    void demo_failed(std::string_view why);
    void llm_failed(std::string_view why);

private:
    Log& log_;
    std::vector<std::string> damaged_;  // what was said of rows, at most so many
};

}  // namespace parley::app

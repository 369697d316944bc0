// SPDX-License-Identifier: Apache-2.0
// Every route of the whole server has its row in docs/doors/access.md, and every row its route.
// What the rows say is tried against a running broker by tests/app/access_test.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "app/serve/server.h"

namespace parley::app {
namespace {

std::string_view word(Needs needs) {
    switch (needs) {
        case Needs::nothing: return "nothing";
        case Needs::asset: return "nothing, may be kept";
        case Needs::token: return "a token";
        case Needs::late_token: return "a token, also later";
        case Needs::asker: return "an asker";
        case Needs::responder: return "a responder";
        case Needs::owner: return "the owner";
    }
    return "?";
}

std::string row(const net::Router::RouteInfo& route) {
    const auto needs = static_cast<Needs>(route.access);
    const bool is_open = needs == Needs::nothing || needs == Needs::asset;
    const auto cell = [&](Role role) { return is_enough(role, needs) ? "yes" : "403"; };
    const auto* unknown = is_open ? "yes" : "401";
    return fmt::format("| {} | `{}` | {} | {} | {} | {} | {} | {} |", wire::to_string(route.method),
                       route.pattern, word(needs), unknown, cell(Role::agent),
                       cell(Role::responder), cell(Role::owner), unknown);
}

std::set<std::string> rows_of_server() {
    std::string folder = (std::filesystem::temp_directory_path() / "parley-XXXXXX").string();
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    std::set<std::string> rows;
    {
        net::Loop loop;
        Log log(loop.clock(), {.level = LogLevel::error});
        Server server({.port = 0,
                       .socket = folder + "/parley.sock",
                       .store_url = "memory:",
                       .token_file = folder + "/token"},
                      loop, log);
        loop.post([&] {
            server.start([&](const Result<void>& started) {
                EXPECT_TRUE(started);
                for (const auto& route : server.router().routes()) rows.insert(row(route));
                server.stop([&loop] { loop.stop(); });
            });
        });
        loop.run();
    }
    std::filesystem::remove_all(folder);
    return rows;
}

std::set<std::string> rows_of_document() {
    std::ifstream file(PARLEY_ACCESS_TABLE);
    std::set<std::string> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("| ") && line.find("| `/") != std::string::npos) rows.insert(line);
    }
    return rows;
}

// One line each: what is printed can be put into the document.
std::string difference(const std::set<std::string>& from, const std::set<std::string>& other) {
    std::string lines;
    for (const std::string& one : from) {
        if (!other.contains(one)) lines.append(one).append("\n");
    }
    return lines;
}

TEST(Routes, EachHasItsRowInTheTableOfAccess) {
    const auto served = rows_of_server();
    const auto written = rows_of_document();
    EXPECT_EQ(difference(served, written), "") << "these rows are missing in the document";
    EXPECT_EQ(difference(written, served), "") << "these rows have no such route";
}

}  // namespace
}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
// A broker whose MCP server has the conformance suite's fixtures too, on a free port and without
// tokens: parley_mcp_fixtures FIXTURES.json FOLDER. Says where it is like `parley serve --json`,
// and ends with SIGTERM.
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>

#include "app/serve/server.h"
#include "mcp_fixtures/fixtures.h"
#include "text/json_object.h"

int main(int argc, char** argv) {
    using namespace parley;
    if (argc != 3) return 2;
    std::ifstream file(argv[1]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto data = json::parse(text);
    if (!data) return 2;

    net::Loop loop;
    Log log(loop.clock(), {.level = LogLevel::warning});
    mcp::Fixtures fixtures(*std::move(data), loop, loop.clock());
    const std::filesystem::path folder = argv[2];
    app::ServeOptions options;
    options.port = 0;
    options.socket = folder / "parley.sock";
    options.store_url = "memory:";
    options.token_file = folder / "token";
    options.requires_token = false;
    options.mcp.extras = &fixtures;
    app::Server server(options, loop, log);
    int code = 0;
    loop.on_signals({SIGTERM, SIGINT}, [&](int) { server.stop([&loop] { loop.stop(); }); });
    loop.post([&] {
        server.start([&](const Result<void>& started) {
            if (started) {
                std::cout << json::object_text([&](json::Writer& out) {
                    out.field("event", "ready").field("url", server.url());
                }) << '\n' << std::flush;
                return;
            }
            std::cerr << started.error().message << '\n';
            code = 1;
            loop.stop();
        });
    });
    loop.run();
    return code;
}

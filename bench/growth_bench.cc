// SPDX-License-Identifier: Apache-2.0
// The two loads of growth.py: whole rounds in some sessions, so many of them at once, and as many
// requests to a bare server.
// Usage: growth_bench rounds SECONDS SESSIONS AT_ONCE TOKEN PORT
//        growth_bench bare SECONDS CONNECTIONS
// Rounds are announced by a line when all is connected, and begin with a line on standard input, so
// that what connecting costs the broker can be left out. Prints a line of JSON.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "bare_server.h"
#include "measure.h"
#include "request_load.h"
#include "round_load.h"

namespace parley::bench {
namespace {

void run_rounds(const std::vector<std::string>& words) {
    RoundLoad load(static_cast<std::uint16_t>(std::stoul(words[5])), words[4], std::stoi(words[2]),
                   AskerWaits::with_its_ask);
    const double seconds = std::stod(words[1]);
    const std::size_t at_once = std::stoul(words[3]);
    fmt::print("connected\n");
    std::fflush(stdout);
    while (std::getchar() == '\n') {
        const RoundFigures figures = load.run(seconds, at_once);
        fmt::print("{{\"rounds\":{},\"rate\":{:.1f},\"p50_ms\":{:.3f}}}\n", figures.rounds,
                   figures.rounds_per_second, figures.p50_ms);
        std::fflush(stdout);
    }
}

void run_bare(double seconds, int connections) {
    const std::string body(100, 'q');
    const std::string request = fmt::format(
        "POST /v1/asks HTTP/1.1\r\nHost: 127.0.0.1:65535\r\nContent-Type: application/json\r\n"
        "Authorization: Bearer 0123456789abcdef0123456789abcdef0123456789abcdef\r\n"
        "Content-Length: {}\r\n\r\n{}",
        body.size(), body);
    BareServer server(std::string(800, 'a'));
    const Rate rate = RequestLoad(server.target(), request, connections).run(seconds);
    fmt::print("{{\"cpu_us\":{:.2f}}}\n",
               rate.cpu_us * requests_in_a_round(AskerWaits::with_its_ask));
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    parley::bench::raise_descriptor_limit();
    parley::bench::pin_to(1);
    if (words.size() == 6 && words[0] == "rounds") {
        parley::bench::run_rounds(words);
        return 0;
    }
    if (words.size() == 3 && words[0] == "bare") {
        parley::bench::run_bare(std::stod(words[1]), std::stoi(words[2]));
        return 0;
    }
    fmt::print(stderr,
               "usage: growth_bench rounds SECONDS SESSIONS AT_ONCE TOKEN PORT\n"
               "       growth_bench bare SECONDS CONNECTIONS\n");
    return 2;
}

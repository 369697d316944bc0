// SPDX-License-Identifier: Apache-2.0
// Any bytes as what tRPC clients send: calls, socket messages, connection parameters, ids to resume
// from. Read or refused; what is refused can be written as an answer.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "dialect/trpc/asks.h"
#include "dialect/trpc/calls.h"
#include "dialect/trpc/events.h"

namespace {

using namespace parley;
using namespace parley::trpc;

void check_written(const Failure& failure, std::string_view path) {
    ASSERT(json::parse(call_document(tl::unexpected(failure), path), {.depth_max = 64}));
}

void check_input(const Call& call) {
    if (call.fault) return check_written(*call.fault, call.path);
    (void)read_ask(call.input);
    (void)read_session(call.input);
    (void)read_answer_ask(call.input);
    if (const auto stream = read_stream(call.input); !stream)
        check_written(failure_of(stream.error()), call.path);
}

void check_calls(std::string_view text) {
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) return;
    for (const bool is_batch : {false, true}) {
        const auto calls = read_calls(
            {.paths = text.substr(0, line), .is_batch = is_batch, .input = text.substr(line + 1)});
        if (!calls) continue;
        for (const Call& call : *calls) check_input(call);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_calls(text);
    json::Arena arena;
    for (const auto& request : read_socket_message(text, arena)) {
        if (request) {
            ASSERT(json::parse(call_frame(request->id, std::string("1"), {})));
            check_input(request->call);
        } else {
            check_written(request.error(), {});
        }
    }
    (void)read_params(text);
    (void)read_params_message(text);
    if (const auto point = parse_resume(text)) ASSERT(parse_resume(resume_text(*point)) == point);
    return 0;
}

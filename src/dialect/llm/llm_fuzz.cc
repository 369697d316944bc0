// SPDX-License-Identifier: Apache-2.0
// Any text as the events of a model's server, one a line, and as the lines of a conversation that
// was kept. What came of it can always be sent, kept and read again.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "dialect/llm/context.h"
#include "dialect/llm/journal.h"
#include "dialect/llm/models.h"
#include "dialect/llm/parts.h"
#include "dialect/llm/refusal.h"
#include "dialect/llm/response_reader.h"
#include "dialect/llm/tools.h"
#include "text/json.h"
#include "text/limits.h"

namespace {

using namespace parley;
using namespace parley::llm;

template <class Each>
void each_line(std::string_view text, Each each) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (!each(text.substr(0, end))) return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void expect_sendable(const ModelConversation& talk, Api api) {
    const ModelProfile profile{.api = api, .base_url = {}, .model = "m"};
    for (const std::size_t room : {std::size_t{0}, std::size_t{100'000}}) {
        const std::string body = write_request(profile, trim(talk, room), {});
        ASSERT(json::parse(body, {.bytes_max = limits::kServerDocumentBytes,
                                  .depth_max = limits::kJsonDepthMax})
                   .has_value());
    }
    (void)parts_of(talk);
}

void read_stream(std::string_view text, Api api) {
    const auto reader = make_reader(api);
    each_line(text, [&](std::string_view line) { return reader->take(line).has_value(); });
    ModelConversation talk;
    talk.add(UserSaid{{"go"}});
    Response response = reader->response();
    talk.name_calls(response);
    const Entry said = ModelSaid{std::move(response)};
    const auto again = read_line(write_line(said));
    ASSERT(again.has_value() && *again == JournalLine(said));
    talk.add(said);
    for (const CallBlock& call : talk.open_calls()) {
        const Wish wish = read_call(call);
        const auto* bad = std::get_if<BadCall>(&wish);
        talk.add(CallDone{.call_id = call.id, .text = bad != nullptr ? bad->why : "so"});
    }
    ASSERT(talk.open_calls().empty());
    expect_sendable(talk, Api::anthropic);
    expect_sendable(talk, Api::openai);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read_stream(text, Api::anthropic);
    read_stream(text, Api::openai);
    ModelConversation kept;
    each_line(text, [&](std::string_view line) {
        const auto read = read_line(line);
        if (read && std::holds_alternative<Entry>(*read)) kept.add(std::get<Entry>(*read));
        return true;
    });
    (void)kept.next();
    expect_sendable(kept, Api::anthropic);
    expect_sendable(kept, Api::openai);
    (void)fix_for(400, read_refusal(400, text), "F");
    (void)read_retry_after(text, {});
    (void)read_models(text);
    return 0;
}

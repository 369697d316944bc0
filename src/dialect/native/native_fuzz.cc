// SPDX-License-Identifier: Apache-2.0
// Any body at every reader of the native wire. An ask that is accepted reads back as itself.
#include <cstdint>

#include "base/assert.h"
#include "core/questions.h"
#include "dialect/native/client.h"
#include "dialect/native/problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    if (const auto ask = native::read_ask(body, kOpenProfile)) {
        const auto again = native::read_ask(native::ask_request(*ask), kOpenProfile);
        ASSERT(again.has_value() && again->spec == ask->spec && again->session == ask->session);
    }
    if (const auto answer = native::read_answer(body)) {
        const auto again = native::read_answer(native::answer_request(*answer));
        ASSERT(again.has_value() && again->answers == answer->answers);
    }
    if (const auto items = native::read_stream(body)) {
        const std::string written = native::stream_request(*items);
        const auto again = native::read_stream(written);
        ASSERT(again.has_value() && native::stream_request(*again) == written);
    }
    (void)native::read_reason(body);
    (void)native::read_snooze(body);
    (void)native::read_draft(body);
    (void)native::read_session(body);
    (void)native::read_message(body);
    (void)native::read_notice(body);
    (void)native::read_ask_document(body);
    (void)native::read_ask_page(body);
    (void)native::read_session_document(body);
    (void)native::read_session_page(body);
    (void)native::read_event_page(body);
    (void)native::read_problem(body, 409);
    for (const auto id : {std::optional<Cursor>(), std::optional(Cursor{7})}) {
        const auto frame = native::read_frame(body, id);
        if (!frame || !*frame) continue;
        const native::WireEvent written = native::write_frame(**frame);
        ASSERT(native::read_frame(written.data, written.id).has_value());
    }
    return 0;
}

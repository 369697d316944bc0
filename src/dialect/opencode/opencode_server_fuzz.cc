// SPDX-License-Identifier: Apache-2.0
// Any text as an event of OpenCode's server. What can be asked is answered in JSON, whatever is
// decided; nothing but a choice is a leave; a stream that is cut anywhere ends.
#include <cstdint>
#include <memory>

#include "base/assert.h"
#include "core/questions.h"
#include "dialect/opencode/server_events.h"
#include "dialect/opencode/server_stream.h"
#include "dialect/opencode/wishes.h"

namespace {

using namespace parley;

void settle(const opencode::Wish& wish, AskSpec spec) {
    auto checked = check_spec(std::move(spec), kOpenProfile);
    if (!checked) return;
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(*checked));
    for (const Outcome outcome : {Outcome::answered, Outcome::dismissed, Outcome::withdrawn}) {
        Settlement settlement{.outcome = outcome};
        for (const Question& question : ask.spec->questions) {
            Answer answer{.note = "a note"};
            if (!question.options.empty()) answer.selected = {question.options.back().label};
            settlement.answers.push_back(std::move(answer));
        }
        ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
        const opencode::Ruling ruling = opencode::read_ruling(wish, ask);
        ASSERT(ruling.body.empty() || json::parse(ruling.body).has_value());
        const bool is_leave = ruling.body.find(R"("reply":"once")") != std::string::npos ||
                              ruling.body.find(R"("reply":"always")") != std::string::npos;
        ASSERT(wish.kind == opencode::Wish::Kind::questions || !is_leave);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto event = opencode::read_server_event(text);
    if (!event) return 0;
    (void)opencode::read_status(*event);
    (void)opencode::read_error(event->properties);
    (void)opencode::read_session_facts(event->properties);
    (void)opencode::read_busy(event->properties);
    opencode::ServerStream stream("ses_1");
    (void)stream.read(*event);
    (void)stream.told(*event);
    (void)stream.read(*event);
    (void)stream.end_turn();
    for (const auto kind : {opencode::Wish::Kind::questions, opencode::Wish::Kind::permission}) {
        const auto wish = opencode::read_wish(kind, event->directory, event->properties);
        if (!wish) continue;
        (void)opencode::is_own(*wish);
        // The event itself in place of the message that has the call.
        opencode::Surroundings surroundings;
        opencode::read_call(*wish, event->properties, surroundings);
        if (auto spec = opencode::make_spec(*wish, surroundings)) settle(*wish, std::move(*spec));
    }
    return 0;
}

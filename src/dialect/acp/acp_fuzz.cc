// SPDX-License-Identifier: Apache-2.0
// Any text as lines of an agent of the Agent Client Protocol. What can be asked is answered in
// JSON, whatever became of it.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/assert.h"
#include "core/questions.h"
#include "dialect/acp/lines.h"
#include "dialect/acp/stream.h"
#include "text/limits.h"

namespace {

using namespace parley;

bool is_json(std::string_view text) {
    return json::parse(text, {.depth_max = limits::kJsonDepthMax}).has_value();
}

std::shared_ptr<const Settlement> settlement_of(Outcome outcome, const AskSpec& spec) {
    Settlement settlement{.outcome = outcome};
    for (const Question& question : spec.questions) {
        Answer answer;
        if (question.options.empty()) answer.other = "7";
        if (!question.options.empty()) answer.selected = {question.options.back().label};
        answer.note = "so";
        settlement.answers.push_back(std::move(answer));
    }
    return std::make_shared<const Settlement>(std::move(settlement));
}

void settle(const acp::Request& request) {
    AskSpec spec;
    const auto* permission = std::get_if<acp::PermissionWish>(&request.wish);
    const auto* form = std::get_if<acp::FormWish>(&request.wish);
    if (permission != nullptr) acp::fill_permission(spec, *permission, "agent");
    if (form != nullptr && !acp::fill_form(spec, *form, "agent")) return;
    auto checked = check_spec(std::move(spec), kOpenProfile);
    if (!checked) return;
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(*checked));
    for (const Outcome outcome :
         {Outcome::answered, Outcome::dismissed, Outcome::timed_out, Outcome::withdrawn}) {
        ask.settlement = settlement_of(outcome, *ask.spec);
        if (permission != nullptr)
            ASSERT(is_json(acp::permission_decision(*permission, ask).result));
        if (form == nullptr) continue;
        const auto decision = acp::form_decision(*form, ask);
        ASSERT(!decision || is_json(decision->result));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    acp::StreamReader reader("r");
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const auto line = acp::read_line(text.substr(0, end))) {
            if (const auto* update = std::get_if<acp::Update>(&*line)) {
                (void)acp::read_modes(update->update);
                (void)reader.read(update->update);
            }
            if (const auto* request = std::get_if<acp::Request>(&*line)) settle(*request);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    (void)reader.end_turn();
    return 0;
}

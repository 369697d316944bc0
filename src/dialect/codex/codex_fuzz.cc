// SPDX-License-Identifier: Apache-2.0
// Any text as a message of Codex. What can be asked is answered in JSON, whatever is decided, and a
// permission never says less than its request.
#include <cstdint>
#include <memory>

#include "base/assert.h"
#include "core/questions.h"
#include "dialect/codex/messages.h"
#include "dialect/codex/wishes.h"
#include "text/limits.h"

namespace {

using namespace parley;

void settle(const codex::Wish& wish, AskSpec spec) {
    auto checked = check_spec(std::move(spec), kOpenProfile);
    if (!checked) return;
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(*checked));
    for (const Outcome outcome : {Outcome::answered, Outcome::dismissed, Outcome::withdrawn}) {
        Settlement settlement{.outcome = outcome};
        for (const Question& question : ask.spec->questions) {
            Answer answer;
            if (question.options.empty()) {
                answer.other = "7";
            } else {
                answer.selected = {question.options.back().label};
            }
            settlement.answers.push_back(std::move(answer));
        }
        ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
        const auto verdict = codex::read_verdict(wish, ask);
        ASSERT(!verdict ||
               json::parse(verdict->result, {.depth_max = limits::kJsonDepthMax}).has_value());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auto message = codex::read_message(text);
    if (!message) return 0;
    auto* request = std::get_if<codex::ServerRequest>(&*message);
    if (request == nullptr) return 0;
    const codex::Wish wish = codex::read_wish(std::move(*request));
    (void)codex::wish_key(wish);
    (void)codex::is_own(wish);
    // The request itself in place of the item that it is about.
    if (auto spec = codex::make_spec(wish, {.edit = wish.params})) settle(wish, std::move(*spec));
    return 0;
}

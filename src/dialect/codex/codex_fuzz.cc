// SPDX-License-Identifier: Apache-2.0
// Any text as a message of Codex. What can be asked is answered in JSON, whatever is decided, and a
// permission never says less than its request. What is told becomes parts whose bodies are JSON.
#include <cstdint>
#include <memory>

#include "base/assert.h"
#include "core/json_fields.h"
#include "core/questions.h"
#include "dialect/codex/edits.h"
#include "dialect/codex/messages.h"
#include "dialect/codex/stream.h"
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
        const auto ruling = codex::read_ruling(wish, ask);
        ASSERT(!ruling ||
               json::parse(ruling->result, {.depth_max = limits::kJsonDepthMax}).has_value());
    }
}

void tell(const codex::Notification& news) {
    codex::StreamReader reader("r");
    codex::Edits edits;
    edits.note(news);
    std::vector<StreamItem> items = reader.read(news);
    for (StreamItem& item : reader.end_turn()) items.push_back(std::move(item));
    for (const StreamItem& item : items) {
        const auto* end = std::get_if<StreamPart>(&item);
        if (end == nullptr || end->part.kind == Part::Kind::text) continue;
        ASSERT(json::parse(end->part.body, {.depth_max = limits::kJsonDepthMax}).has_value());
    }
    (void)codex::read_remark(news);
    (void)codex::read_usage(news);
    (void)codex::read_turn_end(json::field(news.params, "turn"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auto message = codex::read_message(text);
    if (!message) return 0;
    if (const auto* news = std::get_if<codex::Notification>(&*message)) tell(*news);
    auto* request = std::get_if<codex::ServerRequest>(&*message);
    if (request == nullptr) return 0;
    const codex::Wish wish = codex::read_wish(std::move(*request));
    (void)codex::wish_key(wish);
    (void)codex::pass_result(wish);
    // The request itself in place of the item that it is about.
    if (auto spec = codex::make_spec(wish, {.edit = wish.params})) settle(wish, std::move(*spec));
    return 0;
}

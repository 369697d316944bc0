// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_asks.h"

#include <fmt/format.h>

#include <utility>

#include "agent/limits.h"
#include "core/json_fields.h"
#include "core/settle.h"
#include "core/text_rules.h"

namespace parley {

namespace {

// Why asks end that Codex itself has ended.
struct Reasons {
    std::string_view resolved;
    std::string_view stopped;
    std::string_view ended;
};
constexpr Reasons kBesideAWindow = {"answered or closed in Codex itself",
                                    "its turn was stopped in Codex", "its turn ended in Codex"};
constexpr Reasons kAlone = {"Codex needs it no longer", "the turn was stopped", "the turn ended"};

const Reasons& reasons(CodexAsks::Company company) {
    return company == CodexAsks::Company::nobody ? kAlone : kBesideAWindow;
}

}  // namespace

CodexAsks::CodexAsks(Wiring wiring, Rules rules, Listener& listener)
    : link_(wiring.link),
      rules_(std::move(rules)),
      listener_(listener),
      asks_(wiring,
            {.key_prefix = rules_.key_prefix,
             .called = "Codex",
             .timeout = rules_.timeout,
             .asks_max = limits::kCodexAsksMax,
             .tells_late = rules_.company == Company::its_own_window},
            *this) {}

void CodexAsks::take(codex::Wish wish, SessionRequest session, json::Value edit) {
    // Another decision about the same item: its end tells nothing of the earlier one.
    given_.erase({wish.thread, wish.item});
    const std::string key = codex::wish_key(wish);
    Known known{.wish = std::move(wish),
                .surroundings = {.edit = std::move(edit),
                                 .has_window = rules_.company == Company::its_own_window}};
    if (const auto found = known_.find(key); found != known_.end())
        known.surroundings.complaint = found->second.surroundings.complaint;
    auto spec = codex::make_spec(known.wish, known.surroundings);
    if (!spec) return refuse(known.wish, spec.error().message);
    SharedAsks::Wish shared{.key = key,
                            .place = known.wish.thread,
                            .session = std::move(session),
                            .spec = std::move(*spec)};
    known_[key] = std::move(known);
    asks_.take(std::move(shared));
}

void CodexAsks::settled(const std::string& key, const Ask& ask) {
    const auto found = known_.find(key);
    if (found == known_.end()) return;
    Known& known = found->second;
    if (withdrawal_rule(*ask.settlement) == WithdrawalRule::turn_stopped) {
        listener_.stop_turn(known.wish);
        return asks_.taken(key);
    }
    // Nothing was decided here; it still can be there.
    if (ask.state() == AskState::withdrawn && rules_.company != Company::nobody)
        return asks_.taken(key);
    auto ruling = codex::read_ruling(known.wish, ask);
    if (ruling) {
        remember(known.wish, *ruling, ask);
        reply(known.wish, std::move(*ruling));
        return asks_.taken(key);
    }
    known.surroundings.complaint = ruling.error().message;
    auto spec = codex::make_spec(known.wish, known.surroundings);
    if (spec) return asks_.ask_again(key, std::move(*spec));
    refuse(known.wish, spec.error().message);
    asks_.taken(key);
}

void CodexAsks::reply(const codex::Wish& wish, codex::Ruling ruling) {
    listener_.reply(wish, std::move(ruling.result));
    if (!ruling.words.empty()) listener_.add_words(wish, std::move(ruling.words));
}

void CodexAsks::remember(const codex::Wish& wish, const codex::Ruling& ruling, const Ask& ask) {
    if (rules_.company == Company::nobody || !codex::shows_in_item(wish)) return;
    if (given_.size() >= limits::kCodexAsksMax) given_.erase(given_.begin());
    given_[{wish.thread, wish.item}] = {
        .permits = ruling.permits, .question = quoted_excerpt(ask.spec->questions.front().text)};
}

void CodexAsks::item_ended(const std::string& thread, const json::Value& item) {
    const auto given = given_.extract({thread, json::text_field(item, "id")});
    if (given.empty()) return;
    const auto [permits, question] = given.mapped();
    const auto was_permitted = codex::was_permitted(item);
    if (!was_permitted || *was_permitted == permits) return;
    link_.give_notice(
        thread,
        {.text = fmt::format("{} was decided in Codex itself in the same moment as here, and that "
                             "counts: it was {} there",
                             question, *was_permitted ? "permitted" : "denied"),
         .level = NoticeGiven::Level::warning},
        [](const Result<void>&) {});
}

void CodexAsks::resolved(std::string_view thread, std::string_view request_id) {
    for (const auto& [key, known] : known_)
        if (known.is_there && known.wish.thread == thread && known.wish.id == request_id)
            return asks_.closed_there(std::string(key), reasons(rules_.company).resolved);
}

void CodexAsks::turn_ended(std::string_view thread, bool was_stopped) {
    std::erase_if(given_, [&](const auto& given) { return given.first.first == thread; });
    asks_.place_closed(
        thread, was_stopped ? reasons(rules_.company).stopped : reasons(rules_.company).ended);
}

void CodexAsks::lost() {
    given_.clear();
    for (auto& [key, known] : known_) known.is_there = false;
    asks_.lost();
}

void CodexAsks::refused(const std::string& key, const std::string& why) {
    const auto found = known_.find(key);
    if (found == known_.end()) return listener_.trouble(why);
    refuse(found->second.wish, why);
}

void CodexAsks::refuse(const codex::Wish& wish, const std::string& why) {
    listener_.trouble(why);
    if (rules_.company == Company::nobody) reply(wish, codex::refusal(wish, why));
}

void CodexAsks::closed(const std::string& key) {
    if (const auto found = known_.find(key); found != known_.end()) known_.erase(found);
}

}  // namespace parley

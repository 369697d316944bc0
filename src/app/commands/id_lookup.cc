// SPDX-License-Identifier: Apache-2.0
#include "app/commands/id_lookup.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/display.h"
#include "core/text_rules.h"

namespace parley::app {

namespace {

// As many as are named when a beginning is not enough.
constexpr std::size_t kNamed = 8;

// The ids from which on those with this beginning come: the last that is below all of them.
template <class Kind>
struct Beginning {
    std::string text;                     // with the prefix
    std::optional<Id<Kind>> before = {};  // none: from the first id on
};

template <class Kind>
std::optional<Beginning<Kind>> read_beginning(std::string_view text) {
    std::string_view digits = text;
    if (Kind::prefix.starts_with(text)) {
        digits = {};
    } else if (text.starts_with(Kind::prefix)) {
        digits = text.substr(Kind::prefix.size());
    }
    if (digits.size() > kIdDigits) return std::nullopt;
    std::string padded(digits);
    padded.resize(kIdDigits, '0');
    const auto bits = parse_id_digits(padded);
    if (!bits) return std::nullopt;
    Beginning<Kind> found{.text = std::string(Kind::prefix) + std::string(digits)};
    if (*bits == IdBits{}) return found;
    found.before = Id<Kind>(
        IdBits{.high = bits->low == 0 ? bits->high - 1 : bits->high, .low = bits->low - 1});
    return found;
}

std::string name_of(const AskPtr& ask) {
    return fmt::format("{}  {}  {}", ask->id.str(), to_string(ask->state()), ask_title(*ask->spec));
}

std::string name_of(const SessionPtr& session) {
    return fmt::format("{}  {}", session->id.str(),
                       session->title.value_or(session->name.value_or("")));
}

// The one of `listed` that begins so. They ascend, and the first comes first.
template <class Ptr>
Result<Ptr> only_one(const std::vector<Ptr>& listed, const std::string& text,
                     std::string_view what) {
    std::vector<Ptr> found;
    for (const Ptr& each : listed)
        if (each->id.str().starts_with(text)) found.push_back(each);
    if (found.empty())
        return reject(ErrorCode::not_found, "there is no {} whose id begins with {}", what,
                      quoted_excerpt(text));
    if (found.size() == 1) return found.front();
    std::string message =
        fmt::format("{} is the beginning of several ids; give more of it:", quoted_excerpt(text));
    for (std::size_t i = 0; i < std::min(found.size(), kNamed); ++i)
        message += "\n  " + name_of(found[i]);
    if (found.size() > kNamed) message += "\n  and more";
    return reject(Error{.code = ErrorCode::invalid, .message = std::move(message)});
}

// A page may end before the second that begins so.
void list_asks_from(Link& link, std::string text, std::optional<AskId> after,
                    std::vector<AskPtr> got, Done<AskPtr> done) {
    link.list_asks(
        {.after = after, .limit = kNamed + 1},
        [&link, text = std::move(text), got = std::move(got),
         done = std::move(done)](Result<AskPage> page) mutable {
            if (!page) return done(reject(std::move(page).error()));
            got.insert(got.end(), page->asks.begin(), page->asks.end());
            const bool goes_on =
                page->has_more && got.size() <= kNamed && page->last.str().starts_with(text);
            if (!goes_on) return done(only_one(got, text, "ask"));
            list_asks_from(link, std::move(text), page->last, std::move(got), std::move(done));
        });
}

}  // namespace

void look_up_ask(Link& link, std::string_view text, Done<AskPtr> done) {
    if (const auto id = AskId::parse(text)) return link.find_ask(*id, std::move(done));
    const auto beginning = read_beginning<AskKind>(text);
    if (!beginning)
        return done(reject(ErrorCode::invalid, "{} is not the id of an ask; 'parley list' has them",
                           quoted_excerpt(text)));
    list_asks_from(link, beginning->text, beginning->before, {}, std::move(done));
}

void look_up_session(Link& link, std::string_view text, Done<SessionPtr> done) {
    const auto beginning = read_beginning<SessionKind>(text);
    link.find_session(
        text, [&link, beginning, done = std::move(done)](Result<SessionPtr> found) mutable {
            const bool may_begin = beginning && beginning->text.size() > SessionKind::prefix.size();
            if (found || found.error().code != ErrorCode::not_found || !may_begin)
                return done(std::move(found));
            link.list_sessions({.after = beginning->before, .limit = kNamed + 1},
                               [text = beginning->text, missing = found.error(),
                                done = std::move(done)](Result<SessionPage> page) mutable {
                                   if (!page) return done(reject(std::move(page).error()));
                                   auto one = only_one(page->sessions, text, "session");
                                   // A name that nobody has is told as such.
                                   if (!one && one.error().code == ErrorCode::not_found)
                                       return done(reject(std::move(missing)));
                                   done(std::move(one));
                               });
        });
}

}  // namespace parley::app

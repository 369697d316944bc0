// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/session_names.h"

#include <optional>
#include <utility>

#include "core/limits.h"

namespace parley::app {

namespace {

void read_page(Link& link, NamedBy by, std::optional<SessionId> after, SessionNames names,
               Done<SessionNames> done) {
    link.list_sessions({.after = after, .limit = limits::kListPageMax},
                       [&link, by, names = std::move(names),
                        done = std::move(done)](Result<SessionPage> page) mutable {
                           // An agent sees its own asks, and no sessions.
                           if (!page && page.error().code == ErrorCode::denied)
                               return done(std::move(names));
                           if (!page) return done(reject(std::move(page).error()));
                           for (const SessionPtr& listed : page->sessions)
                               names.emplace(listed->id, name_of(*listed, by));
                           if (!page->has_more || page->sessions.empty())
                               return done(std::move(names));
                           const SessionId last = page->sessions.back()->id;
                           read_page(link, by, last, std::move(names), std::move(done));
                       });
}

}  // namespace

std::string name_of(const Session& session, NamedBy by) {
    std::string name = session.name.value_or("");
    return by == NamedBy::own_name ? name : session.title.value_or(name);
}

std::string_view JsonNames::find(SessionId id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

void list_session_names(Link& link, NamedBy by, Done<SessionNames> done) {
    read_page(link, by, std::nullopt, {}, std::move(done));
}

}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
#include "app/session_names.h"

#include <optional>
#include <utility>

#include "base/limits.h"

namespace parley::app {

namespace {

void read_page(Link& link, std::optional<SessionId> after, SessionNames names,
               Done<SessionNames> done) {
    link.list_sessions({.after = after, .limit = limits::kListPageMax},
                       [&link, names = std::move(names),
                        done = std::move(done)](Result<SessionPage> page) mutable {
                           // An agent sees its own asks, and no sessions.
                           if (!page && page.error().code == ErrorCode::denied)
                               return done(std::move(names));
                           if (!page) return done(reject(std::move(page).error()));
                           for (const SessionPtr& listed : page->sessions)
                               if (std::string name = name_of(*listed); !name.empty())
                                   names.emplace(listed->id, std::move(name));
                           if (!page->has_more || page->sessions.empty())
                               return done(std::move(names));
                           const SessionId last = page->sessions.back()->id;
                           read_page(link, last, std::move(names), std::move(done));
                       });
}

}  // namespace

std::string name_of(const Session& session) {
    return session.title.value_or(session.name.value_or(""));
}

void list_session_names(Link& link, Done<SessionNames> done) {
    read_page(link, std::nullopt, {}, std::move(done));
}

}  // namespace parley::app

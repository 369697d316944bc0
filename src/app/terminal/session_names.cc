// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/session_names.h"

#include <memory>
#include <optional>
#include <utility>

#include "core/limits.h"

namespace parley::app {

namespace {

// One list, page by page, the newest first.
struct Listing {
    Link& link;
    NamedBy by;
    std::optional<std::set<SessionId>> wanted;  // none: all
    Done<NamesById> done;
    NamesById names = {};
};

void read_page(std::unique_ptr<Listing> listing, std::optional<SessionId> after) {
    Link& link = listing->link;
    link.list_sessions(
        {.after = after, .limit = limits::kListPageMax, .order = ListOrder::newest_first},
        [listing = std::move(listing)](Result<SessionPage> page) mutable {
            NamesById& names = listing->names;
            // An agent sees its own asks, and no sessions.
            if (!page && page.error().code == ErrorCode::denied)
                return listing->done(std::move(names));
            if (!page) return listing->done(reject(std::move(page).error()));
            for (const SessionPtr& listed : page->sessions) {
                names.emplace(listed->id, name_of(*listed, listing->by));
                if (listing->wanted) listing->wanted->erase(listed->id);
            }
            const bool is_done = !page->has_more || page->sessions.empty() ||
                                 (listing->wanted && listing->wanted->empty());
            if (is_done) return listing->done(std::move(names));
            read_page(std::move(listing), page->sessions.back()->id);
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

void list_session_names(Link& link, NamedBy by, Done<NamesById> done) {
    read_page(std::make_unique<Listing>(Listing{link, by, std::nullopt, std::move(done)}),
              std::nullopt);
}

void find_session_names(Link& link, NamedBy by, std::set<SessionId> wanted, Done<NamesById> done) {
    read_page(std::make_unique<Listing>(Listing{link, by, std::move(wanted), std::move(done)}),
              std::nullopt);
}

}  // namespace parley::app

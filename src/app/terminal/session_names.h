// SPDX-License-Identifier: Apache-2.0
// What people call the sessions, as far as the one who asks may see them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/unique_function.h"
#include "client/link.h"
#include "dialect/native/server.h"

namespace parley::app {

using NamesById = std::map<SessionId, std::string>;

// Its title, else its own name, else nothing; or its own name, as documents have it.
enum class NamedBy : std::uint8_t { title, own_name };
std::string name_of(const Session& session, NamedBy by = NamedBy::title);
// All of them; an agent, which sees no sessions, gets none. `link` outlives the call.
void list_session_names(Link& link, NamedBy by, Done<NamesById> done);
// At least those that are wanted: older sessions are not asked for once they are there.
void find_session_names(Link& link, NamedBy by, std::set<SessionId> wanted, Done<NamesById> done);

// As a document has them: the session's own name beside its id. `names` outlives it.
class JsonNames final : public native::SessionNames {
public:
    explicit JsonNames(const app::NamesById& names) : names_(names) {}
    std::string_view find(SessionId id) const override;

private:
    const app::NamesById& names_;
};

}  // namespace parley::app

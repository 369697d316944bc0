// SPDX-License-Identifier: Apache-2.0
// A session as OpenCode's clients know it.
#include "dialect/opencode/events.h"

namespace parley::opencode {

namespace {

constexpr std::string_view kVersion = "1";  // of the shape; their clients want one

}  // namespace

std::string_view directory_of(const Session* session, const Scene& scene) {
    return session != nullptr && session->directory ? *session->directory : scene.directory;
}

void write_session(json::Writer& out, const Session& session, const Scene& scene) {
    const std::string id = session.id.str();
    const std::string& slug = session.name ? *session.name : id;
    out.begin_object().field("id", id).field("slug", slug).field("projectID", "global");
    out.field("directory", directory_of(&session, scene));
    if (session.parent) out.field("parentID", session.parent->str());
    out.field("title", session.title ? *session.title : slug);
    if (session.agent) out.field("agent", *session.agent);
    const std::int64_t created = session.created_at.time_since_epoch().count();
    out.field("version", kVersion).key("time").begin_object().field_int("created", created);
    const auto updated = session.ended_at.value_or(session.created_at).time_since_epoch().count();
    out.field_int("updated", updated);
    if (session.ended_at) out.field_int("archived", updated);
    out.end_object().end_object();
}

}  // namespace parley::opencode

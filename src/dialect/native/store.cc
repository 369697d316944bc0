// SPDX-License-Identifier: Apache-2.0
#include "dialect/native/store.h"

#include "core/faults.h"
#include "core/object_reader.h"
#include "core/value_json.h"
#include "text/json_object.h"

namespace parley::native {

namespace {

std::uint64_t read_count(const ObjectReader& object, std::string_view name) {
    const std::int64_t count = object.optional_int(name).value_or(0);
    return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

void write_before(json::Writer& out, const json::Key& name, const std::optional<Instant>& at) {
    if (at) write_time(out, name, *at);
}

}  // namespace

std::string store_document(std::string_view url) {
    return json::object_text([&](json::Writer& out) { out.field("url", url); });
}

Result<std::string> read_store_document(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    std::string url = object.required_string("url");
    return std::move(faults).give(std::move(url));
}

std::string copy_document(const CopyBody& copy) {
    return json::object_text([&](json::Writer& out) {
        out.field("id", copy.id);
        out.key("bytes").number(copy.bytes);
        out.key("total").number(copy.total);
        out.field_bool("ready", copy.is_ready);
    });
}

Result<CopyBody> read_copy_document(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    CopyBody copy{.id = object.required_string("id"),
                  .bytes = read_count(object, "bytes"),
                  .total = read_count(object, "total"),
                  .is_ready = object.optional_bool("ready").value_or(false)};
    return std::move(faults).give(std::move(copy));
}

std::string prune_request(const PruneBody& body) {
    return json::object_text([&](json::Writer& out) {
        write_before(out, "asks_before", body.asks);
        write_before(out, "sessions_before", body.sessions);
        write_before(out, "messages_before", body.messages);
    });
}

Result<PruneBody> read_prune_request(std::string_view body) {
    TRY(document, json::parse(body));
    Faults faults(Unknown::refused);
    const json::Path root;
    const ObjectReader object(document, root, faults, "an object with \"asks_before\"");
    object.only({"asks_before", "sessions_before", "messages_before"});
    PruneBody before{.asks = read_optional_time(object, "asks_before", faults),
                     .sessions = read_optional_time(object, "sessions_before", faults),
                     .messages = read_optional_time(object, "messages_before", faults)};
    return std::move(faults).give(before);
}

std::string pruned_document(const PrunedBody& pruned) {
    return json::object_text([&](json::Writer& out) {
        out.key("asks").number(pruned.asks);
        out.key("sessions").number(pruned.sessions);
        out.key("messages").number(pruned.messages);
        out.key("events").number(pruned.events);
        out.field_bool("more", pruned.has_more);
    });
}

Result<PrunedBody> read_pruned_document(std::string_view text) {
    TRY(document, json::parse(text));
    Faults faults;
    const json::Path root;
    const ObjectReader object(document, root, faults);
    PrunedBody pruned{.asks = read_count(object, "asks"),
                      .sessions = read_count(object, "sessions"),
                      .messages = read_count(object, "messages"),
                      .events = read_count(object, "events"),
                      .has_more = object.optional_bool("more").value_or(false)};
    return std::move(faults).give(pruned);
}

}  // namespace parley::native

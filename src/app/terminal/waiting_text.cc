// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/waiting_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/limits.h"
#include "core/display.h"
#include "core/text_rules.h"
#include "text/json.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

void write_first(json::Writer& out, const Ask& ask) {
    out.begin_object()
        .field("id", ask.id.str())
        .field("session_id", ask.session.str())
        .field("title", ask_title(*ask.spec))
        .field("urgency", to_string(ask.spec->urgency));
    if (ask.spec->agent) out.field("agent", *ask.spec->agent);
    out.field("created_at", format_rfc3339(ask.created_at));
    if (ask.deadline) out.field("deadline", format_rfc3339(*ask.deadline));
    out.end_object();
}

}  // namespace

void Waiting::add(const AskPtr& ask) {
    const bool is_urgent = ask->spec->urgency == Urgency::high;
    ++count;
    if (is_urgent) ++urgent;
    if (ask->deadline) deadline = std::min(deadline.value_or(*ask->deadline), *ask->deadline);
    // Ids ascend with time.
    const auto rank = [](const Ask& one) {
        return std::pair(-static_cast<int>(one.spec->urgency), one.id);
    };
    if (!first || rank(*ask) < rank(*first)) first = ask;
}

std::string waiting_line(const Waiting& waiting, Instant now) {
    if (!waiting.first) return "Nothing waits.";
    std::string line = fmt::format("{}{} waiting", waiting.count, waiting.has_more ? "+" : "");
    if (waiting.urgent > 0) line += fmt::format(", {} urgent", waiting.urgent);
    if (waiting.deadline)
        line += fmt::format(", {} left",
                            format_duration(std::max(*waiting.deadline - now, Millis::zero())));
    return line + ": " + one_line(ask_title(*waiting.first->spec), limits::kStatusTitleChars);
}

std::string waiting_document(const std::optional<Waiting>& waiting) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field_bool("reachable", waiting.has_value());
    if (waiting) {
        out.field_int("waiting", static_cast<std::int64_t>(waiting->count))
            .field_bool("more", waiting->has_more)
            .field_int("urgent", static_cast<std::int64_t>(waiting->urgent));
        if (waiting->deadline) out.field("deadline", format_rfc3339(*waiting->deadline));
        if (waiting->first) {
            out.key("first");
            write_first(out, *waiting->first);
        }
    }
    out.end_object();
    return text;
}

}  // namespace parley::app

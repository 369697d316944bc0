// SPDX-License-Identifier: Apache-2.0
#include "agent/mcp/forms.h"

#include <utility>

#include "agent/mcp/session.h"
#include "base/limits.h"
#include "dialect/mcp_elicitation.h"
#include "text/json_object.h"

namespace parley::mcp {

namespace {

constexpr int kClosed = -1;

std::string complaint_of(const Error& error) {
    return error.faults.empty() ? error.message : error.faults.front().detail;
}

Done<SettleReply> tell(Forms::Applied applied) {
    return [applied = std::move(applied)](Result<SettleReply> reply) mutable {
        if (reply) return applied({.kind = FormOutcome::Kind::settled, .ask = reply->ask});
        const Error& error = reply.error();
        // Only answers that do not fit can be mended in the form.
        const auto kind = error.code == ErrorCode::invalid ? FormOutcome::Kind::refused
                                                           : FormOutcome::Kind::closed;
        applied({.kind = kind, .complaint = complaint_of(error)});
    };
}

}  // namespace

FormKind Forms::kind_for(const Ask& ask, const Client& client) const {
    if (!session_.options().may_show_forms || is_closed(ask.id)) return FormKind::none;
    if (client.has_forms) return FormKind::form;
    return client.has_urls && session_.has_pages() ? FormKind::page : FormKind::none;
}

void Forms::apply(const AskPtr& ask, FormKind kind, const json::Value& reply, Applied applied) {
    const auto action = read_form_action(reply);
    if (kind == FormKind::page && action == FormReply::Action::accept)
        return applied({.kind = FormOutcome::Kind::opened});
    auto form = read_form(ask->spec->questions, reply);
    if (!form) {
        return applied(
            {.kind = FormOutcome::Kind::refused, .complaint = complaint_of(form.error())});
    }
    switch (form->action) {
        case FormReply::Action::accept:
            return session_.link().answer(ask->id, std::move(form->answers), {},
                                          tell(std::move(applied)));
        case FormReply::Action::decline:
            return session_.link().dismiss(ask->id, std::nullopt, tell(std::move(applied)));
        case FormReply::Action::cancel: return applied({.kind = FormOutcome::Kind::closed});
    }
}

void Forms::show(const AskPtr& ask, const std::shared_ptr<Call>& call) {
    const FormKind kind = kind_for(*ask, call->client());
    if (kind == FormKind::none) return;
    const auto [place, is_new] = shown_.try_emplace(ask->id);
    if (!is_new) return;
    place->second.ask = ask;
    place->second.call = call;
    place->second.kind = kind;
    place->second.wait =
        session_.link().wait(ask->id, [this, id = ask->id](const Result<AskPtr>&) { close(id); });
    if (kind == FormKind::page) return send_page(ask->id);
    send_form(place->second, {});
}

void Forms::send_form(Shown& shown, std::string_view complaint) {
    std::string params;
    json::Writer out(params);
    write_form(out, *shown.ask, shown.call->client(), complaint);
    send(shown, params);
}

void Forms::send_page(AskId id) {
    session_.find_page(id, [this, id, alive = std::weak_ptr(alive_)](Result<std::string> url) {
        const auto found = alive.expired() ? shown_.end() : shown_.find(id);
        if (alive.expired() || found == shown_.end()) return;
        if (!url) return close(id);
        std::string params;
        json::Writer out(params);
        write_page_form(out, *found->second.ask, found->second.call->client(), *url);
        send(found->second, params);
    });
}

void Forms::send(Shown& shown, std::string_view params) {
    ++shown.tries;
    shown.request = session_.request(
        *shown.call, "elicitation/create", params,
        [this, id = shown.ask->id](Result<json::Value> reply) { replied(id, std::move(reply)); });
}

void Forms::replied(AskId id, Result<json::Value> reply) {
    const auto found = shown_.find(id);
    if (found == shown_.end()) return;
    found->second.request = 0;
    // A client that cannot show it after all says so with an error.
    if (!reply) {
        note_closed(id);
        return close(id);
    }
    apply(found->second.ask, found->second.kind, *reply,
          [this, id](const FormOutcome& outcome) { applied(id, outcome); });
}

void Forms::applied(AskId id, const FormOutcome& outcome) {
    const auto found = shown_.find(id);
    if (found == shown_.end()) return;
    Shown& shown = found->second;
    if (outcome.kind == FormOutcome::Kind::opened) {
        shown.is_opened = true;
        return;
    }
    const bool may_retry = outcome.kind == FormOutcome::Kind::refused &&
                           shown.kind == FormKind::form && shown.tries < limits::kMcpFormTries;
    if (may_retry) return send_form(shown, outcome.complaint);
    note_closed(id);
    close(id);
}

void Forms::close(AskId id) {
    const auto found = shown_.find(id);
    if (found == shown_.end()) return;
    const Shown shown = std::move(found->second);
    shown_.erase(found);
    if (shown.request != 0) session_.revoke_request(shown.request, *shown.call);
    if (!shown.is_opened) return;
    // The page was answered, or need not be any more.
    session_.send_with(*shown.call,
                       wire::rpc::write_notification("notifications/elicitation/complete",
                                                     json::object_text([&](json::Writer& out) {
                                                         out.field("elicitationId", id.str());
                                                     })));
}

void Forms::note_try(AskId id) {
    remember(id, tries(id) + 1);
}

void Forms::note_closed(AskId id) {
    remember(id, kClosed);
}

void Forms::remember(AskId id, int tries) {
    closed_[id] = tries;
    if (closed_.size() > limits::kMcpClosedForms) closed_.erase(closed_.begin());
}

}  // namespace parley::mcp

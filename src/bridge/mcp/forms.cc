// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/forms.h"

#include <fmt/format.h>

#include <utility>

#include "bridge/mcp/conversation.h"
#include "bridge/mcp/limits.h"
#include "core/settlement_phrase.h"
#include "core/text_rules.h"
#include "dialect/mcp/elicitation.h"
#include "dialect/mcp/known_clients.h"
#include "text/json_object.h"

namespace parley::mcp {

namespace {

std::string complaint_of(const Error& error) {
    return error.faults.empty() ? error.message : error.faults.front().detail;
}

Done<SettleReply> tell(UniqueFunction<void(FormOutcome)> applied) {
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

FormKind Forms::kind_for(const Ask& ask, const Call& call) const {
    const auto before = past_.find(ask.id);
    const bool is_closed = before != past_.end() && before->second.is_closed;
    if (!conversation_.options().may_show_forms || is_closed || is_headless(call.params()))
        return FormKind::none;
    const ClientInfo& client = call.client();
    if (client.has_forms) return FormKind::form;
    return client.has_urls && conversation_.has_pages() ? FormKind::page : FormKind::none;
}

bool Forms::has_form(const Ask& ask, const Call& call) const {
    return ask.is_pending() && kind_for(ask, call) == FormKind::form;
}

void Forms::apply(const AskPtr& ask, const ClientInfo& client, const Reply& reply,
                  UniqueFunction<void(FormOutcome)> applied) {
    const auto action = read_form_action(reply.value);
    if (reply.kind == FormKind::page && action == FormReply::Action::accept)
        return applied({.kind = FormOutcome::Kind::opened});
    auto form = read_form(ask->spec->questions, reply.value);
    if (!form) {
        return applied(
            {.kind = FormOutcome::Kind::refused, .complaint = complaint_of(form.error())});
    }
    const bool is_persons = habits_of(client).declines_by_hand &&
                            conversation_.clock().mono() - reply.sent >= limits::kMcpFormRead;
    switch (form->action) {
        case FormReply::Action::accept:
            return conversation_.link().answer(ask->id, std::move(form->answers), {},
                                               tell(std::move(applied)));
        case FormReply::Action::decline:
            if (!is_persons) return applied({.kind = FormOutcome::Kind::closed});
            return conversation_.link().dismiss(ask->id, {}, tell(std::move(applied)));
        case FormReply::Action::cancel: return applied({.kind = FormOutcome::Kind::closed});
    }
}

void Forms::note_fetched(AskId id) {
    Past& before = past(id);
    if (before.fetched == Mono{}) before.fetched = conversation_.clock().mono();
}

void Forms::apply_fetched(const AskPtr& ask, const std::shared_ptr<Call>& call,
                          const json::Value& reply, Applied applied) {
    if (!ask->is_pending()) {
        tell_too_late(*ask, *call, reply);
        return applied();
    }
    if (!has_form(*ask, *call)) return applied();
    apply(ask, call->client(), {.value = reply, .sent = past(ask->id).fetched},
          alive_.guard([this, id = ask->id,
                        applied = std::move(applied)](const FormOutcome& outcome) mutable {
              if (outcome.kind == FormOutcome::Kind::refused) ++past(id).tries;
              if (outcome.kind == FormOutcome::Kind::closed) note_closed(id);
              applied();
          }));
}

void Forms::show(const AskPtr& ask, const std::shared_ptr<Call>& call) {
    const FormKind kind = kind_for(*ask, *call);
    if (kind == FormKind::none) return;
    const auto [place, is_new] = shown_.try_emplace(ask->id);
    if (!is_new) return;
    place->second.ask = ask;
    place->second.call = call;
    place->second.kind = kind;
    place->second.wait =
        conversation_.link().wait(ask->id, [this, id = ask->id](const Result<AskPtr>& settled) {
            close(id, settled.value_or(nullptr));
        });
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
    conversation_.find_page(id, alive_.guard([this, id](Result<std::string> url) {
        const auto found = shown_.find(id);
        if (found == shown_.end()) return;
        if (!url) return close(id);
        std::string params;
        json::Writer out(params);
        write_page_form(out, *found->second.ask, found->second.call->client(), *url);
        send(found->second, params);
    }));
}

void Forms::send(Shown& shown, std::string_view params) {
    ++shown.tries;
    shown.sent = conversation_.clock().mono();
    shown.request = conversation_.request(
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
    const Shown& shown = found->second;
    apply(shown.ask, shown.call->client(),
          {.value = *reply, .kind = shown.kind, .sent = shown.sent},
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

void Forms::close(AskId id, const AskPtr& settled) {
    const auto found = shown_.find(id);
    if (found == shown_.end()) return;
    const Shown shown = std::move(found->second);
    shown_.erase(found);
    if (shown.request != 0) {
        conversation_.revoke_request(
            shown.request, *shown.call,
            [this, settled, call = shown.call](const Result<json::Value>& late) {
                if (settled && late) tell_too_late(*settled, *call, *late);
            });
    }
    if (!shown.is_opened) return;
    // The page was answered, or need not be any more.
    conversation_.send_with(*shown.call,
                            wire::rpc::write_notification("notifications/elicitation/complete",
                                                          json::object_text([&](json::Writer& out) {
                                                              out.field("elicitationId", id.str());
                                                          })));
}

// The client has nowhere to say it; so it is said where people are told things.
void Forms::tell_too_late(const Ask& settled, const Call& call, const json::Value& reply) {
    const auto action = read_form_action(reply);
    if (!action || *action != FormReply::Action::accept) return;
    const auto& text = settled.spec->questions.front().text;
    conversation_.give_notice(
        call, {.text = fmt::format("What was filled in at {} came too late and "
                                   "does not count: {} was {} before.",
                                   conversation_.session_name(call), quoted_excerpt(text),
                                   settlement_phrase(*settled.settlement)),
               .level = NoticeGiven::Level::warning});
}

Forms::Past& Forms::past(AskId id) {
    // The oldest is the least likely to be asked for; the one asked for is never dropped.
    if (past_.size() >= limits::kMcpClosedForms && !past_.contains(id)) past_.erase(past_.begin());
    return past_[id];
}

}  // namespace parley::mcp

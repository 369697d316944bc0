// SPDX-License-Identifier: Apache-2.0
// The forms that a client shows for asks that are open elsewhere too. Accepting answers the ask,
// a person's declining dismisses it, and what a program declines or cancels only closes the form:
// nobody saw it, and the ask waits on for the other doors. When the ask is settled elsewhere the
// form is taken back, and whoever fills it in all the same is told that it does not count. So a
// form is shown only where it can be taken back. Part of a Conversation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/lifetime.h"
#include "base/unique_function.h"
#include "client/link.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::mcp {

class Call;
class Conversation;
struct ClientInfo;

// How a client shows an ask: not at all, as a form, or as a page that it opens.
enum class FormKind : std::uint8_t { none, form, page };

// What a form's reply did to its ask.
struct FormOutcome {
    enum class Kind : std::uint8_t {
        settled,  // `ask` is as it stands now
        refused,  // the answers do not fit; `complaint` says why
        opened,   // the page is open; the ask is answered there
        closed,   // this form is over, the ask goes on
    };

    Kind kind = Kind::closed;
    AskPtr ask = {};
    std::string complaint = {};
};

class Forms {
public:
    explicit Forms(Conversation& conversation) : conversation_(conversation) {}

    // Legacy: shows the form of an ask, once.
    void show(const AskPtr& ask, const std::shared_ptr<Call>& call);

    // A form of a task, which its client fetches: whether there is one, and how often it was filled
    // in wrongly. Whoever polls learns that the ask is settled, and closes the form.
    bool has_form(const Ask& ask, const Call& call) const;
    int tries(AskId id) const { return past_.contains(id) ? past_.at(id).tries : 0; }
    void note_fetched(AskId id);
    using Applied = UniqueFunction<void()>;
    void apply_fetched(const AskPtr& ask, const std::shared_ptr<Call>& call,
                       const json::Value& reply, Applied applied);

private:
    // What became of forms that are not shown any more, or not yet again.
    struct Past {
        int tries = 0;
        bool is_closed = false;
        Mono fetched = {};
    };
    struct Shown {
        AskPtr ask;
        std::shared_ptr<Call> call;
        FormKind kind = FormKind::form;
        std::uint64_t request = 0;  // 0 while there is none
        Mono sent = {};
        int tries = 0;
        bool is_opened = false;  // of a page
        LinkWait wait = {};
    };

    FormKind kind_for(const Ask& ask, const Call& call) const;
    // Applies a reply to a form that was shown at `sent`.
    struct Reply {
        const json::Value& value;
        FormKind kind = FormKind::form;
        Mono sent = {};
    };
    void apply(const AskPtr& ask, const ClientInfo& client, const Reply& reply,
               UniqueFunction<void(FormOutcome)> applied);
    void send_form(Shown& shown, std::string_view complaint);
    void send_page(AskId id);
    void send(Shown& shown, std::string_view params);
    void replied(AskId id, Result<json::Value> reply);
    void applied(AskId id, const FormOutcome& outcome);
    // `settled` if that is why.
    void close(AskId id, const AskPtr& settled = nullptr);
    void tell_too_late(const Ask& settled, const Call& call, const json::Value& reply);
    void note_closed(AskId id) { past(id).is_closed = true; }
    Past& past(AskId id);

    Conversation& conversation_;
    std::map<AskId, Shown> shown_;
    std::map<AskId, Past> past_;
    Lifetime alive_;
};

}  // namespace parley::mcp

// SPDX-License-Identifier: Apache-2.0
// The forms that a client shows for asks that are open elsewhere too. Accepting answers the ask,
// declining dismisses it, and cancelling only closes the form: a client without a person cancels at
// once. When the ask is settled elsewhere the form is taken back. Part of a Session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "agent/mcp/round_state.h"
#include "base/unique_function.h"
#include "client/link.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::mcp {

class Call;
class Session;
struct Client;

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
    explicit Forms(Session& session) : session_(session) {}

    // How this client may be shown an ask.
    FormKind kind_for(const Ask& ask, const Client& client) const;

    // Applies the reply of a client, of either era, to its ask.
    using Applied = UniqueFunction<void(FormOutcome)>;
    void apply(const AskPtr& ask, FormKind kind, const json::Value& reply, Applied applied);

    // Legacy: shows the form of an ask, once.
    void show(const AskPtr& ask, const std::shared_ptr<Call>& call);

    // Modern: whether a form for this ask was closed, and how often it was filled in wrongly.
    bool is_closed(AskId id) const { return closed_.contains(id) && closed_.at(id) < 0; }
    int tries(AskId id) const { return closed_.contains(id) ? closed_.at(id) : 0; }
    void note_try(AskId id);
    void note_closed(AskId id);

private:
    struct Shown {
        AskPtr ask;
        std::shared_ptr<Call> call;
        FormKind kind = FormKind::form;
        std::uint64_t request = 0;  // 0 while there is none
        int tries = 0;
        bool is_opened = false;  // of a page
        LinkWait wait = {};
    };

    void send_form(Shown& shown, std::string_view complaint);
    void send_page(AskId id);
    void send(Shown& shown, std::string_view params);
    void replied(AskId id, Result<json::Value> reply);
    void applied(AskId id, const FormOutcome& outcome);
    void close(AskId id);
    void remember(AskId id, int tries);

    Session& session_;
    std::map<AskId, Shown> shown_;
    std::map<AskId, int> closed_;  // tries, or -1 once closed
    std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace parley::mcp

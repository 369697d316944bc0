// SPDX-License-Identifier: Apache-2.0
// A subscription to one session, as message.streamResponse and message.streamTracked give it: finds
// or opens the session, says what the person said, tells all that follows until the turn is over.
// How an event is put on the wire is its transport's, which also owns it. Belongs to the loop's
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/trpc/asks.h"
#include "dialect/trpc/events.h"
#include "door/frame_pump.h"
#include "door/trpc/procedures.h"

namespace parley::trpc {

class SessionStream : public FrameSink, public std::enable_shared_from_this<SessionStream> {
public:
    SessionStream(FramePump::Wiring wiring, const Caller& caller, const Procedure& procedure);
    ~SessionStream() override { stop(); }

    // `last_event_id` is where the transport says the client was; it counts before the input's.
    void start(const Call& call, std::optional<std::string> last_event_id);
    // Nothing is told any more.
    void stop() { pump_->stop(); }

protected:
    // Whether the client may open the same again by itself, without an id: not if that would say a
    // message twice.
    bool is_repeatable() const { return procedure_.is_tracked || input_.message.empty(); }
    bool is_tracked() const { return procedure_.is_tracked; }
    std::string_view path() const { return procedure_.path; }

    // Whether the client, when it opens the same again by itself, may come without the id of what
    // it was told last.
    virtual bool may_lose_place() const { return false; }
    // The client is told that it is subscribed, before anything else.
    virtual void begin() = 0;
    // One event; `id` is where one goes on after it.
    struct Told {
        std::string_view data;
        std::string id;   // "" while there is none
        bool is_tracked;  // the client sees the id
        bool moves_on;    // the id is this event's own
    };
    virtual void tell(const Told& event) = 0;
    // No event, but one may go on from here.
    virtual void mark(const std::string& id) = 0;
    // The last word, one of these two.
    virtual void complete() = 0;
    virtual void fail(const Failure& failure) = 0;

private:
    void open_session();
    void opened(const Result<SessionPtr>& found);
    void resend_pending();
    void retell_settled();
    void go_on();
    void say();
    void said(const Result<Said>& said, bool was_busy);
    void tell_all(std::vector<StreamEvent> events);
    void end_with(const Failure& failure);
    // As this caller may know it.
    Failure told(const Error& error) const;

    void send(const Frame& frame) override;
    void tell_of_store(const std::optional<Error>& away) override;
    void cut() override;
    void break_off(const Error& error) override;

    FramePump::Wiring wiring_;
    const Procedure& procedure_;
    std::shared_ptr<FramePump> pump_;
    StreamInput input_;
    std::optional<StreamPlace> resume_;
    SessionPtr session_;
    std::optional<SessionEvents> events_;
    StreamPlace reached_;
    bool is_new_ = false;  // the session was opened for this
};

}  // namespace parley::trpc

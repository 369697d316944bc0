// SPDX-License-Identifier: Apache-2.0
#include "door/tool_result/answer_call.h"

#include <utility>

namespace parley {

namespace {

// Null if that call never asked.
void find(LoopBroker& broker, SessionId session, const std::string& tool_use_id,
          const Viewer& viewer, Done<AskPtr> done) {
    const auto id = AskId::parse(tool_use_id);
    if (!id) return broker.find_ask_by_call(session, tool_use_id, viewer, std::move(done));
    broker.find_ask(*id, viewer, [session, done = std::move(done)](Result<AskPtr> found) mutable {
        const bool is_unknown =
            found ? (*found)->session != session : found.error().code == ErrorCode::not_found;
        done(is_unknown ? Result<AskPtr>(nullptr) : std::move(found));
    });
}

void answer(LoopBroker& broker, const AskPtr& ask, MakeAnswers make, const Actor& responder,
            Done<CallResolution> done) {
    auto answers = make(*ask);
    if (!answers) return done(reject(std::move(answers).error()));
    broker.answer(ask->id, std::move(*answers), {Completeness::partial}, responder,
                  [done = std::move(done)](Result<SettleReply> reply) mutable {
                      if (!reply) return done(reject(std::move(reply).error()));
                      done(CallResolution{reply->is_yours, std::move(reply->ask)});
                  });
}

}  // namespace

void answer_call(LoopBroker& broker, SessionId session, const std::string& tool_use_id,
                 MakeAnswers make, const Actor& responder, Done<CallResolution> done) {
    find(broker, session, tool_use_id, responder.viewer(),
         [&broker, make = std::move(make), responder,
          done = std::move(done)](Result<AskPtr> found) mutable {
             if (!found) return done(reject(std::move(found).error()));
             if (!*found || !(*found)->is_pending())
                 return done(CallResolution{.is_resolved = false, .ask = std::move(*found)});
             answer(broker, *found, std::move(make), responder, std::move(done));
         });
}

}  // namespace parley

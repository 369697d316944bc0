// SPDX-License-Identifier: Apache-2.0
// The procedures of the tRPC door: their table, and the queries and mutations themselves, whichever
// transport brings them. Subscriptions are in session_stream.h. Belongs to the loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/unique_function.h"
#include "broker/broker.h"
#include "dialect/trpc/calls.h"
#include "dialect/trpc/envelope.h"
#include "door/access.h"
#include "door/limits.h"
#include "door/trpc/open_call.h"

namespace parley::trpc {

enum class ProcedureKind : std::uint8_t { query, mutation, subscription };

struct Procedure {
    std::string_view path;
    ProcedureKind kind;
    Needs needs;
    bool is_tracked = false;  // of a subscription: its events carry their ids

    bool is_subscription() const { return kind == ProcedureKind::subscription; }
};
const Procedure* find_procedure(std::string_view path);
std::string_view to_string(ProcedureKind kind);

// Settings of a server.
struct DoorSettings {
    // Of asks that bring none of their own; absent: they wait for ever.
    std::optional<Millis> ask_timeout = limits::kTrpcAskTimeout;
};

class Procedures {
public:
    explicit Procedures(LoopBroker& broker, DoorSettings settings = {})
        : broker_(broker), settings_(settings) {}

    // `done` is called once, perhaps inside this call; null if that was so.
    [[nodiscard]] CallHandle run(const Procedure& procedure, const Caller& caller,
                                 const json::Value& input, CallDone done);

private:
    CallHandle pending(const Caller& caller, const json::Value& input, CallDone done);
    CallHandle ask(const Caller& caller, const json::Value& input, CallDone done);
    CallHandle abort(const Caller& caller, const json::Value& input, CallDone done);

    LoopBroker& broker_;
    DoorSettings settings_;
};

// Of a batch whose answers are more than one turn of the loop makes.
Failure batch_is_full();
// What a result counts for in its batch: one that would have been too large has cost as much.
std::size_t counted_bytes(const CallResult& result);

// Refused unless the caller's role is enough.
std::optional<Failure> check_role(const Caller& caller, Needs needs);

}  // namespace parley::trpc

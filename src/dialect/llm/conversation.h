// SPDX-License-Identifier: Apache-2.0
// A conversation with a model behind an API, as the entries that it consists of: what it was told,
// what it said, what became of its calls. The fold over them says what comes next, so whoever has
// the entries can go on from any of them. Values, without I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "parley/ids.h"

namespace parley::llm {

// Parts of what a model says, in its order.
struct TextBlock {
    std::string text;
    bool operator==(const TextBlock&) const = default;
};
// Not shown to anybody, and given back as it came: a server may refuse a call without it.
struct ThinkingBlock {
    std::string text;
    std::string signature = {};
    bool operator==(const ThinkingBlock&) const = default;
};
// The same, of which nothing can be read.
struct SealedBlock {
    std::string data;
    bool operator==(const SealedBlock&) const = default;
};
struct CallBlock {
    std::string id;
    std::string tool;
    std::string input;  // as the model wrote it: not always JSON
    bool operator==(const CallBlock&) const = default;
};
using Block = std::variant<TextBlock, ThinkingBlock, SealedBlock, CallBlock>;

// In tokens, as the servers count them.
struct Usage {
    std::int64_t input = 0;   // all that was read, cached or not
    std::int64_t cached = 0;  // of it, from a cache
    std::int64_t output = 0;

    Usage& operator+=(const Usage& other);
    bool operator==(const Usage&) const = default;
};

struct Response {
    enum class Stop : std::uint8_t { done, length, refused, paused, stopped };

    std::vector<Block> blocks = {};
    Usage usage = {};
    Stop stop = Stop::done;

    bool operator==(const Response&) const = default;
};

// The entries.
struct UserSaid {
    std::vector<std::string> texts;
    MessageId up_to = {};             // the last message that this is of; nil: none
    std::vector<AskId> settled = {};  // asks whose end it tells
    bool operator==(const UserSaid&) const = default;
};
struct ModelSaid {
    Response response;
    bool operator==(const ModelSaid&) const = default;
};
struct CallDone {
    std::string call_id;
    std::string text;
    bool is_error = false;
    std::optional<AskId> left_open = {};  // the ask outlives its call
    std::optional<AskId> settled = {};    // the ask whose end this tells
    bool operator==(const CallDone&) const = default;
};
// Somebody stopped the turn: the model is not asked before there is a new message.
struct TurnStopped {
    bool operator==(const TurnStopped&) const = default;
};
using Entry = std::variant<UserSaid, ModelSaid, CallDone, TurnStopped>;

// What comes next.
enum class Step : std::uint8_t {
    listen,   // it waits for words
    request,  // the model is asked
    calls,    // calls have no result yet
};

class ModelConversation {
public:
    void add(Entry entry);

    std::span<const Entry> entries() const { return entries_; }
    Step next() const;
    // The calls of the last response that have no result, in order.
    std::vector<CallBlock> open_calls() const;
    // Asks that outlived their calls and whose end the model does not know.
    std::span<const AskId> left_open() const { return left_open_; }
    // Whether a call has left this ask open, whatever became of it.
    bool has_left_open(AskId ask) const;
    MessageId last_given() const { return last_given_; }
    const Usage& usage() const { return usage_; }
    std::size_t responses() const { return responses_; }
    // Null if there is none.
    const CallBlock* find_call(std::string_view id) const;
    // Of the last response: the call in whose input it was cut, null if it was not. And how many in
    // a row up to it were cut in the only call that they made.
    const CallBlock* cut_call() const;
    std::size_t cut_responses() const;

    // Gives each call an id that no other of this conversation has: local servers leave them out,
    // or begin anew with every response.
    void name_calls(Response& response) const;

private:
    void settle(AskId id);

    std::vector<Entry> entries_;
    std::vector<AskId> left_open_;
    MessageId last_given_;
    Usage usage_;
    std::size_t responses_ = 0;
};

// The calls of a response, and the words of it that people are shown.
std::vector<CallBlock> calls_of(const Response& response);
std::string words_of(const Response& response);

}  // namespace parley::llm

// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/letters.h"

#include <fmt/format.h>

#include <utility>

#include "broker/mark_keys.h"
#include "door/limits.h"
#include "net/secret.h"

namespace parley::mcp {

namespace {

constexpr std::string_view kYes = "1";

UniqueFunction<void(Result<Verdict>)> when_put(Done<void> done) {
    return [done = std::move(done)](Result<Verdict> verdict) mutable {
        if (!verdict) return done(reject(std::move(verdict).error()));
        done({});
    };
}

}  // namespace

std::string conversation_name(std::string_view id) {
    return net::sha256_hex(id);
}

void Letters::read_with(Reader reader) {
    const auto after = [](const std::string& key, std::string_view kind) {
        return key.substr(kind.size());
    };
    broker_.on_mark(std::string(marks::kLetter),
                    [this, after, take = std::move(reader.take)](const std::string& key,
                                                                 const MarkPtr& letter) {
                        const std::string address = after(key, marks::kLetter);
                        if (!letter || !take(address.substr(0, address.find('/')), letter->value))
                            return;
                        broker_.put_mark({.key = key, .at = clock_.wall()}, [](Result<Verdict>) {});
                    });
    broker_.on_mark(std::string(marks::kRound), [after, came = std::move(reader.round_came)](
                                                    const std::string& key, const MarkPtr& mark) {
        const auto ask = AskId::parse(after(key, marks::kRound));
        if (mark && ask) came(*ask);
    });
    broker_.on_mark(std::string(marks::kEnded), [after, ended = std::move(reader.ended)](
                                                    const std::string& key, const MarkPtr& mark) {
        if (mark) ended(after(key, marks::kEnded));
    });
}

void Letters::send(const std::string& conversation, std::string message, Done<void> done) {
    if (!broker_.is_shared()) return done({});
    if (message.size() > limits::kMcpLetterBytes)
        return done(reject(ErrorCode::too_large,
                           "this node does not wait for it, and it is too large for another"));
    if (broker_.expiring_marks(marks::kLetter).size() >= limits::kMcpLettersMax) {
        broker_.drop_expired_marks();
        return done(
            reject(ErrorCode::overloaded, "too much is on its way to other nodes; send it again"));
    }
    const Instant now = clock_.wall();
    broker_.put_mark(
        {.key = fmt::format("{}{}/{}", marks::kLetter, conversation, net::random_secret()),
         .at = now,
         .value = std::move(message),
         .expires_at = now + limits::kMcpLetterLife},
        when_put(std::move(done)));
}

void Letters::tell_round(AskId ask) {
    if (!broker_.is_shared()) return;
    const Instant now = clock_.wall();
    broker_.put_mark({.key = fmt::format("{}{}", marks::kRound, ask.str()),
                      .at = now,
                      .value = net::random_secret(),
                      .expires_at = now + limits::kMcpLetterLife},
                     [](Result<Verdict>) {});
}

void Letters::end(const std::string& conversation, Done<void> done) {
    const Instant now = clock_.wall();
    const Ledger::Expiring& ended = broker_.expiring_marks(marks::kEnded);
    if (ended.size() >= limits::kMcpEndedMax)
        broker_.put_mark({.key = ended.begin()->second, .at = now}, [](Result<Verdict>) {});
    broker_.put_mark({.key = fmt::format("{}{}", marks::kEnded, conversation),
                      .at = now,
                      .value = std::string(kYes),
                      .expires_at = now + limits::kMcpEndedKept},
                     when_put(std::move(done)));
}

bool Letters::has_ended(const std::string& conversation) const {
    return broker_.find_mark(fmt::format("{}{}", marks::kEnded, conversation)) != nullptr;
}

}  // namespace parley::mcp

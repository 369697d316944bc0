// SPDX-License-Identifier: Apache-2.0
// What MCP's conformance suite calls and a server that only asks does not have: tools, prompts and
// resources with known results (fixtures.json). They run on the broker's real MCP server, in a
// program of the tests; `parley` itself has none of this.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bridge/mcp/call.h"
#include "bridge/mcp/conversation.h"
#include "bridge/mcp/extras.h"
#include "text/json.h"

namespace parley::mcp {

// Names and the texts that stand for them, as in "Hello, {{name}}!".
using Words = std::map<std::string, std::string>;
json::Value filled(const json::Value& value, const Words& words);
Words words_of(const json::Value& arguments);
void add_reply_words(const json::Value& reply, Words& words);

// Whether the client says that it can do what a request of ours needs.
bool can(const ClientInfo& client, std::string_view method);
void refuse_without(Call& call, const json::Value& capabilities);

void complete_with(Call& call, const json::Value& result, std::string_view type = "complete");
void complete_with_text(Call& call, std::string_view text, bool is_error = false);

// Tools that become tasks of the extension.
class FixtureTasks {
public:
    FixtureTasks(Executor& home, const Clock& clock) : home_(home), clock_(clock) {}

    // Runs a tool with a "task": as one if the client knows tasks, else at once.
    void run(const std::shared_ptr<Call>& call, const json::Value& tool, const Words& words);
    // tasks/get, tasks/update and tasks/cancel of these tasks; false for others.
    bool take(Call& call);

private:
    struct FixtureTask {
        std::string status = "working";
        std::string outcome;
        std::string text;
        Millis seconds{};
        json::Object inputs = {};
        Instant created = {};
    };

    void start(const std::string& id);
    void write(json::Writer& out, const std::string& id, const FixtureTask& task) const;
    static void write_outcome(json::Writer& out, const FixtureTask& task);

    Executor& home_;
    const Clock& clock_;
    std::map<std::string, FixtureTask> tasks_;
    int next_ = 1;
};

class Fixtures final : public Extras {
public:
    Fixtures(json::Value data, Executor& home, const Clock& clock);

    void write_capabilities(json::Writer& out, const ClientInfo& client) const override;
    void write_tools(json::Writer& out, const ClientInfo& client) const override;
    bool take(Conversation& conversation, const std::shared_ptr<Call>& call) override;

private:
    bool call_tool(Conversation& conversation, const std::shared_ptr<Call>& call);
    void run_steps(const std::shared_ptr<Call>& call, const json::Value& tool, std::size_t step);
    void send_step(Call& call, const json::Value& tool, std::size_t step) const;
    // A request to a client of the legacy era.
    void request(Conversation& conversation, const std::shared_ptr<Call>& call,
                 const json::Value& tool);
    // Asks a modern client to come back with more; true once it has brought all.
    bool gather(Call& call, const json::Value& fixture, Words& words) const;
    void ask(Conversation& conversation, const std::shared_ptr<Call>& call) const;

    bool take_list(Call& call) const;
    void get_prompt(Call& call) const;
    void read_resource(Call& call) const;

    json::Value data_;
    Executor& home_;
    const Clock& clock_;
    Seal seal_{.key = "fixtures", .principal = {}};
    FixtureTasks tasks_;
};

}  // namespace parley::mcp

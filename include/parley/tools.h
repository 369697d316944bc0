// SPDX-License-Identifier: Apache-2.0
// Tools for a program that runs a model's turns itself: the registry knows the tools by which
// models ask, checks what the model sends, asks through the broker and gives the output to hand
// back. Every other tool of an agent SDK passes through: its execution waits until the program
// publishes the result that the SDK produced.
//
//     parley::tools::Registry registry(*broker);
//     give_to_model(registry.list());                       // names, descriptions, schemas
//
//     auto result = registry.execute("AskUserQuestion", input, {.call_id = id});
//     reply(id, result.output, !result.success);            // blocks until the person has decided
//
//     registry.publish("toolu_7", "Bash", R"({"stdout":"ok"})");   // what "Bash" waits for
//
// A program with an interface of its own supplies ToolContext::prompt_user, and is asked instead of
// the broker. Every function may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "parley/broker.h"
#include "parley/error.h"
#include "parley/values.h"

namespace parley::tools {

struct ToolResult {
    bool success = false;
    // What the model is given. Of a tool that asks and was answered, JSON or text as that tool's
    // models expect it; otherwise words that say what happened.
    std::string output;
    // What of the input no tool that asks knows, and so left out: for the model, beside the output.
    std::vector<Fault> warnings = {};
};

// One prompt of a program's own interface.
struct Prompt {
    enum class Type : std::uint8_t { select, multiselect, input };

    struct Choice {
        std::string name;     // what is given back
        std::string message;  // what is shown
        std::string hint = {};
    };

    Type type = Type::select;
    std::string message;
    std::vector<Choice> choices = {};  // none of an input
};

struct ToolContext {
    // The model's name for this call. A tool that passes through needs it; for one that asks it
    // makes a repeated call the same ask.
    std::string call_id = {};
    // The session that asks belong to.
    std::string session = {};
    // Asks the person here: gives the names that were chosen, or the text that was typed; nullopt
    // if the person declined. Without it the broker is asked.
    std::function<std::optional<std::vector<std::string>>(const Prompt&)> prompt_user = {};
    // Takes the ask back, or ends the wait.
    std::stop_token stop = {};
};

struct ToolDefinition {
    std::string name;
    std::string description;
    std::string input_schema;  // JSON
};

// The question tools and the tools of the agent SDK, in that SDK's order; then "question".
class Registry {
public:
    struct Options {
        // False: the question tools pass through too, for an SDK that executes them itself.
        bool asks = true;
        // How long a tool that passes through waits for its result. Nullopt: as long as it takes.
        std::optional<Millis> result_timeout = std::chrono::minutes(5);
    };

    // The broker must outlive the registry.
    explicit Registry(AnyBroker& broker) : Registry(broker, Options()) {}
    Registry(AnyBroker& broker, Options options);
    Registry(Registry&&) noexcept;
    Registry& operator=(Registry&&) noexcept;
    // Ends the waits for results.
    ~Registry();

    const std::vector<ToolDefinition>& list() const;
    // Null for a name that is not listed; such a tool passes through all the same.
    const ToolDefinition* find(std::string_view name) const;

    // Adds a tool of the program's own, or replaces one. Before the first execute().
    using Execute = std::function<ToolResult(std::string_view input, const ToolContext& context)>;
    void add(ToolDefinition definition, Execute execute);

    // `input` is the JSON that the model sent. Blocks until there is a result.
    ToolResult execute(std::string_view name, std::string_view input,
                       const ToolContext& context = {});

    // The result of a tool that passes through; before or after its execute(). `output` is JSON.
    // False: one of that call is known already, and stands.
    bool publish(std::string_view call_id, std::string_view tool, std::string_view output);

private:
    class Body;
    std::unique_ptr<Body> body_;
};

}  // namespace parley::tools

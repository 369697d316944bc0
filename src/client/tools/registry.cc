// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/loop_thread.h"
#include "broker/registries/tool_results.h"
#include "client/tools/question_tools.h"
#include "dialect/ask_tool.h"
#include "parley/tools.h"

namespace parley::tools {

namespace {

// The tools of the agent SDK, in its order.
constexpr std::array<std::string_view, 26> kSdkTools = {"Bash",
                                                        "Read",
                                                        "Write",
                                                        "Edit",
                                                        "MultiEdit",
                                                        "Glob",
                                                        "Grep",
                                                        "Task",
                                                        "WebFetch",
                                                        "WebSearch",
                                                        "NotebookEdit",
                                                        "TodoRead",
                                                        "TodoWrite",
                                                        "AskFollowupQuestion",
                                                        "AskUserQuestion",
                                                        "Agent",
                                                        "TaskOutput",
                                                        "TaskStop",
                                                        "Skill",
                                                        "EnterPlanMode",
                                                        "ExitPlanMode",
                                                        "TaskCreate",
                                                        "TaskGet",
                                                        "TaskUpdate",
                                                        "TaskList",
                                                        "EnterWorktree"};

constexpr std::string_view kAnyObject = R"({"type":"object","additionalProperties":true})";

std::optional<QuestionTool> question_tool(std::string_view name) {
    if (name == ask_tool::kName) return QuestionTool::ask_user_question;
    if (name == "AskFollowupQuestion") return QuestionTool::ask_followup_question;
    if (name == "question") return QuestionTool::question;
    return std::nullopt;
}

ToolDefinition definition_of(std::string_view name, bool asks) {
    ToolDefinition tool{std::string(name), fmt::format("Runs in the agent: {}", name),
                        std::string(kAnyObject)};
    if (!asks || !question_tool(name)) return tool;
    tool.description = ask_tool::description();
    if (name == ask_tool::kName)
        tool.input_schema = ask_tool::definition(ask_tool::Format::json_schema);
    return tool;
}

}  // namespace

class Registry::Body {
public:
    Body(AnyBroker& broker, Options options) : broker_(broker), options_(options) {
        for (const std::string_view name : kSdkTools)
            tools_.push_back(definition_of(name, options.asks));
        tools_.push_back(definition_of("question", options.asks));
        // The results live on their own thread from here to the end.
        thread_.post([this] {
            results_ = std::make_unique<ToolResults>(ToolResults::Wiring{thread_, clock_});
        });
    }
    ~Body() {
        thread_.post([this] { results_.reset(); });
    }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    const std::vector<ToolDefinition>& list() const { return tools_; }

    void add(ToolDefinition definition, Execute execute) {
        own_.insert_or_assign(definition.name, std::move(execute));
        const auto known = std::ranges::find(tools_, definition.name, &ToolDefinition::name);
        if (known != tools_.end()) {
            *known = std::move(definition);
        } else {
            tools_.push_back(std::move(definition));
        }
    }

    ToolResult execute(std::string_view name, std::string_view input, const ToolContext& context) {
        if (const auto own = own_.find(name); own != own_.end()) return own->second(input, context);
        if (const auto tool = question_tool(name); tool && options_.asks)
            return ask(broker_, *tool, input, context);
        return wait_for(name, context);
    }

    bool publish(std::string_view call_id, std::string_view tool, std::string_view output) {
        std::promise<bool> published;
        thread_.post([&] {
            published.set_value(
                results_->publish(std::string(call_id), {std::string(tool), std::string(output)}));
        });
        return published.get_future().get();
    }

private:
    // What is waited for, and how it can be given up.
    struct Waiting {
        std::promise<ToolResult> result;
        ToolResults::Number number = 0;
    };

    ToolResult wait_for(std::string_view name, const ToolContext& context) {
        if (context.call_id.empty()) {
            return {.success = false,
                    .output = fmt::format("{} needs the id of its call", json::quoted(name))};
        }
        const auto waiting = std::make_shared<Waiting>();
        auto result = waiting->result.get_future();
        thread_.post([this, waiting, call_id = context.call_id] {
            waiting->number = results_->wait_for(
                call_id, {.timeout = options_.result_timeout},
                [waiting](Result<PublishedResultPtr> told) {
                    waiting->result.set_value(told ? ToolResult{true, (*told)->output}
                                                   : ToolResult{false, told.error().message});
                });
        });
        const std::stop_callback stopped(context.stop, [this, waiting] {
            thread_.post([this, waiting] { results_->give_up(waiting->number); });
        });
        return result.get();
    }

    AnyBroker& broker_;
    const Options options_;
    std::vector<ToolDefinition> tools_;
    std::map<std::string, Execute, std::less<>> own_;
    SystemClock clock_;
    std::unique_ptr<ToolResults> results_;  // of the thread
    LoopThread thread_;                     // the last: it ends before what its tasks use
};

Registry::Registry(AnyBroker& broker, Options options)
    : body_(std::make_unique<Body>(broker, options)) {}
Registry::Registry(Registry&&) noexcept = default;
Registry& Registry::operator=(Registry&&) noexcept = default;
Registry::~Registry() = default;

const std::vector<ToolDefinition>& Registry::list() const {
    return body_->list();
}

const ToolDefinition* Registry::find(std::string_view name) const {
    const auto& tools = body_->list();
    const auto found = std::ranges::find(tools, name, &ToolDefinition::name);
    return found == tools.end() ? nullptr : &*found;
}

void Registry::add(ToolDefinition definition, Execute execute) {
    body_->add(std::move(definition), std::move(execute));
}

ToolResult Registry::execute(std::string_view name, std::string_view input,
                             const ToolContext& context) {
    return body_->execute(name, input, context);
}

bool Registry::publish(std::string_view call_id, std::string_view tool, std::string_view output) {
    return body_->publish(call_id, tool, output);
}

}  // namespace parley::tools

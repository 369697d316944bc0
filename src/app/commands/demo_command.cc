// SPDX-License-Identifier: Apache-2.0
// parley run demo: the scripted agent, beside a broker that runs.
#include <utility>

#include "agent/demo_agent.h"
#include "app/commands/commands.h"
#include "app/reach/with_server.h"

namespace parley::app {

namespace {

class RunDemo final : public Command {
public:
    CommandSpec spec() override {
        return {.about =
                    "Runs the demo: a scripted agent, without a model, that asks three "
                    "questions in a session named demo and says what was chosen.",
                .examples = {{"parley run demo", "then, elsewhere: parley answer"}}};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) {
            demo_ = std::make_unique<DemoAgent>(
                session.link, std::string(DemoAgent::kOwnSession),
                [&session](std::string_view line) {
                    session.context.console.print(std::string(line) + "\n");
                },
                [&session](Result<void> result) {
                    if (!result) return session.fail(result.error());
                    session.finish(ExitCode::done);
                });
            demo_->start();
        });
    }

private:
    std::unique_ptr<DemoAgent> demo_;
};

}  // namespace

std::unique_ptr<Command> make_run_demo() {
    return std::make_unique<RunDemo>();
}

}  // namespace parley::app

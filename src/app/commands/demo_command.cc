// SPDX-License-Identifier: Apache-2.0
// parley run demo: the scripted agent, beside a broker that runs.
#include <fmt/format.h>

#include <utility>

#include "agent/demo/demo_agent.h"
#include "app/commands/commands.h"
#include "app/reach/with_server.h"
#include "base/assert.h"

namespace parley::app {

namespace {

class RunDemoCommand final : public Command {
public:
    CommandSpec spec() override {
        std::vector<std::string> names;
        std::string scenes = "Scenes:";
        for (const DemoScene& scene : demo_scenes()) {
            names.emplace_back(scene.name);
            scenes += fmt::format("\n  {:<10} {}", scene.name, scene.label);
        }
        return {.about =
                    "Runs the demo: a scripted agent, without a model, in a session named "
                    "demo. It asks which scene you want to see, plays it, says what it would "
                    "do with your answers, and asks again.",
                .options = {{.names = "--scene",
                             .value = "NAME",
                             .help = "Show this scene and end, without the menu",
                             .target = &scene_,
                             .choices = std::move(names)}},
                .examples = {{"parley run demo", "then, elsewhere: parley inbox, or the page"},
                             {"parley run demo --scene plan", "a plan to approve, and no more"}},
                .notes = std::move(scenes)};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& visit) { open(visit); });
    }

private:
    void open(ServerVisit& visit) {
        DemoAgent::open_session(visit.link, [this, &visit](Result<SessionPtr> opened) {
            if (!opened) return visit.fail(opened.error());
            start(visit, (*opened)->id.str());
        });
    }

    void start(ServerVisit& visit, std::string session) {
        visit.context.console.tell(
            "Answer on the page, or in another terminal with `parley inbox`. Ctrl-C ends the "
            "demo.\n\n");
        // What it asks would wait for nobody.
        visit.on_interrupt([&visit, session] {
            visit.link.end_session(session, "the demo was stopped", [&visit](Result<SessionPtr>) {
                visit.finish(ExitCode::interrupted);
            });
        });
        demo_ = std::make_unique<DemoAgent>(
            visit.link, std::move(session),
            [&visit](std::string_view line) {
                visit.context.console.print(std::string(line) + "\n\n");
            },
            [&visit](Result<void> result) {
                if (!result) return visit.fail(result.error());
                visit.finish(ExitCode::done);
            });
        if (!scene_) return demo_->introduce();
        const DemoScene* scene = find_demo_scene(*scene_);
        ASSERT(scene != nullptr);  // one of the choices
        demo_->show(*scene);
    }

    std::optional<std::string> scene_;
    std::unique_ptr<DemoAgent> demo_;
};

}  // namespace

std::unique_ptr<Command> make_run_demo() {
    return std::make_unique<RunDemoCommand>();
}

}  // namespace parley::app

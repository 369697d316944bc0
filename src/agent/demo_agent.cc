// SPDX-License-Identifier: Apache-2.0
#include "agent/demo_agent.h"

#include <fmt/format.h>

#include <utility>

#include "core/display.h"
#include "core/model_text.h"

namespace parley {

namespace {

AskSpec method_spec() {
    return {.questions = {{.text = "Which authentication method should we use?",
                           .header = "Auth method",
                           .options = {{"OAuth 2.0 (Recommended)",
                                        "Industry standard, supports social login"},
                                       {"JWT", "Stateless tokens, good for APIs"},
                                       {"Session-based", "Traditional cookie sessions"}}},
                          {.text = "Which user storage should we use?",
                           .header = "User storage",
                           .options = {{"PostgreSQL (Recommended)", "Your existing database"},
                                       {"Firebase Auth", "Managed auth service"}}}},
            .context = "This is a demo: no model is behind it, and nothing is built.",
            .agent = "demo"};
}

AskSpec features_spec() {
    return {.questions = {{.text = "Which features should sign-in have from the start?",
                           .header = "Features",
                           .options = {{"Password reset", "By e-mail, with a link that expires"},
                                       {"Two factors", "A code from an app"},
                                       {"Remember me", "Stay signed in for 30 days"},
                                       {"Audit log", "Who signed in, from where, when"}},
                           .multi_select = true}},
            .agent = "demo"};
}

}  // namespace

DemoAgent::DemoAgent(Link& link, std::string session, Spoken spoken, Finished finished)
    : link_(link),
      session_(std::move(session)),
      spoken_(std::move(spoken)),
      finished_(std::move(finished)) {}

DemoAgent::~DemoAgent() = default;

void DemoAgent::start() {
    link_.end_session(session_, "the demo starts again", [this](Result<SessionPtr>) { open(); });
}

void DemoAgent::open() {
    link_.open_session({.name = session_, .title = "Demo: a scripted agent", .agent = "demo"},
                       [this](Result<SessionPtr> opened) {
                           if (!opened) return finish(reject(std::move(opened).error()));
                           introduce();
                       });
}

void DemoAgent::introduce() {
    link_.push(session_, {Activity::working}, [this](Result<void>) {
        say("I am a scripted demo, not a model. I pretend to build sign-in for your app. Before I "
            "begin, I need two decisions from you.",
            [this] { ask_method(); });
    });
}

void DemoAgent::ask_method() {
    ask(method_spec(), &DemoAgent::ask_features);
}

void DemoAgent::ask_features() {
    say("Thank you. One more thing.", [this] { ask(features_spec(), &DemoAgent::conclude); });
}

void DemoAgent::conclude() {
    std::string summary = "That is all I needed:";
    for (const std::string& line : chosen_) summary += "\n- " + line;
    summary += "\nA real agent would go on with exactly these answers now.";
    say(std::move(summary), [this] {
        StreamPart end{{.kind = Part::Kind::finish, .part_id = "demo"}, true};
        link_.push(session_, {std::move(end)},
                   [this](Result<void> pushed) { finish(std::move(pushed)); });
    });
}

void DemoAgent::ask(AskSpec spec, void (DemoAgent::*next)()) {
    link_.ask({std::move(spec), session_}, [this, next](Result<OpenedAsk> opened) {
        if (!opened) return finish(reject(std::move(opened).error()));
        wait_ = link_.wait(opened->ask->id,
                           [this, next](Result<AskPtr> ask) { settled(std::move(ask), next); });
    });
}

// Whatever is not an answer ends the interview: an agent that goes on without one would be
// guessing.
void DemoAgent::settled(Result<AskPtr> ask, void (DemoAgent::*next)()) {
    if (!ask) return finish(reject(std::move(ask).error()));
    if ((*ask)->state() != AskState::answered) {
        say("I stop here. " + model_text(**ask), [this] { finish({}); });
        return;
    }
    for (std::string& line : summary_lines(**ask)) chosen_.push_back(std::move(line));
    (this->*next)();
}

void DemoAgent::say(std::string text, UniqueFunction<void()> next) {
    spoken_(text);
    StreamPart part{{.kind = Part::Kind::text,
                     .part_id = fmt::format("demo-{}", ++said_),
                     .body = std::move(text)},
                    true};
    link_.push(session_, {std::move(part)},
               [this, next = std::move(next)](Result<void> pushed) mutable {
                   if (!pushed) return finish(std::move(pushed));
                   next();
               });
}

void DemoAgent::finish(Result<void> result) {
    if (finished_) std::exchange(finished_, nullptr)(std::move(result));
}

}  // namespace parley

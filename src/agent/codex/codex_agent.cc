// SPDX-License-Identifier: Apache-2.0
#include "agent/codex/codex_agent.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "agent/limits.h"
#include "core/json_fields.h"
#include "dialect/codex/items.h"
#include "dialect/limits.h"
#include "text/width.h"

namespace parley {

namespace {

using Level = NoticeGiven::Level;

constexpr std::string_view kPlanMode = "plan";
constexpr std::string_view kWorkMode = "default";
// As Codex's own window says it.
constexpr std::string_view kCarryOut = "Implement the plan.";
constexpr std::string_view kUpdate = "npm install -g @openai/codex@latest";

}  // namespace

CodexAgent::CodexAgent(Wiring wiring, Options options)
    : LineDriver({wiring.loop, wiring.link, wiring.onlooker, std::move(wiring.finished)},
                 options.session, {.ends_with_turn = options.ends_with_turn}),
      options_(std::move(options)),
      asks_({wiring.loop, wiring.loop.clock(), wiring.link},
            // Requests of another run may have the same numbers.
            {.key_prefix = fmt::format("codex-run-{}", options_.run),
             .company = CodexAsks::Company::nobody,
             .timeout = options_.timeout},
            *this),
      reader_(options_.run) {}

CodexAgent::~CodexAgent() = default;

std::string CodexAgent::advice(Fault fault) const {
    if (fault == Fault::not_started)
        return fmt::format(
            "\nIs Codex installed? If not: {}\nElse say where it is: --codex PATH, or PARLEY_CODEX",
            kUpdate);
    return fmt::format("\nA Codex that is too old has no app-server to drive: {}", kUpdate);
}

void CodexAgent::session_opened(std::optional<std::string> own_name) {
    if (options_.session.is_resumed) {
        is_kept_ = own_name.has_value();
        // One that Parley has not run before is known by the name that was given.
        thread_ = own_name.value_or(options_.session.session);
    }
    options_.command.line_bytes_max = limits::kCodexMessageBytes;
    if (!launch(options_.command)) return;
    call("initialize", codex::initialize_params(options_.version, codex::Hearing::all),
         [this](const codex::Reply& reply) { initialized(reply); });
    if (options_.prompt) say(*std::exchange(options_.prompt, std::nullopt));
}

void CodexAgent::call(std::string_view method, const std::string& params,
                      CodexCalls::Answered done) {
    send(calls_.make(method, params, std::move(done)) + "\n");
}

void CodexAgent::initialized(const codex::Reply& reply) {
    if (!reply.error.empty())
        return fail(
            fmt::format("Codex does not take us: {}{}", reply.error, advice(Fault::ended_at_once)));
    send(codex::write_notification("initialized") + "\n");
    find_thread();
}

void CodexAgent::find_thread() {
    const bool is_new = thread_.empty();
    call(is_new ? "thread/start" : "thread/resume",
         is_new ? codex::start_params(options_.thread)
                : codex::resume_params(thread_, options_.thread),
         [this](const codex::Reply& reply) { found_thread(reply); });
}

void CodexAgent::found_thread(const codex::Reply& reply) {
    // It writes a thread down when somebody first speaks to it.
    if (!reply.error.empty() && is_kept_ && reply.error.starts_with("no rollout found")) {
        is_kept_ = false;
        thread_.clear();
        session().tell({.text = "Codex has kept nothing of this session: it begins anew",
                        .level = Level::warning});
        return find_thread();
    }
    if (!reply.error.empty() && thread_.empty())
        return fail(fmt::format("Codex cannot start: {}", reply.error));
    if (!reply.error.empty())
        return fail(fmt::format(
            "Codex cannot go on with this session: {}; start a new one without --resume",
            reply.error));
    thread_ = json::text_field(json::field(reply.result, "thread"), "id");
    if (thread_.empty())
        return fail(
            fmt::format("Codex has not said which thread it runs{}", advice(Fault::ended_at_once)));
    model_ = json::text_field(reply.result, "model");
    session().keep_own_name(thread_);
    began();
}

bool CodexAgent::on_line(const std::string& line) {
    auto message = codex::read_message(line);
    if (!message) return false;
    if (auto* request = std::get_if<codex::ServerRequest>(&*message)) {
        take(std::move(*request));
    } else if (const auto* news = std::get_if<codex::Notification>(&*message)) {
        take(*news);
    } else {
        calls_.take(std::get<codex::Reply>(*message));
    }
    return true;
}

void CodexAgent::give(std::vector<std::string> texts, Task has_them) {
    is_turn_stopped_ = false;
    turn_.clear();
    call("turn/start",
         codex::turn_params({.thread = thread_, .mode = options_.mode, .model = model_}, texts),
         [this, has_them = std::move(has_them)](const codex::Reply& reply) mutable {
             has_them();
             turn_given(reply);
         });
}

void CodexAgent::turn_given(const codex::Reply& reply) {
    if (!reply.error.empty()) return turn_completed({codex::TurnEnd::Kind::failed, reply.error});
    // One that was over at once has told so already.
    if (session().is_turn_running()) turn_began(json::field(reply.result, "turn"));
}

// Codex begins turns by itself, too.
void CodexAgent::turn_began(const json::Value& turn) {
    if (json::text_field(turn, "status") != "inProgress") return;
    turn_ = json::text_field(turn, "id");
    session().begin_turn();
    if (is_turn_stopped_) stop_now();
}

void CodexAgent::turn_stopped() {
    if (!session().is_turn_running() || std::exchange(is_turn_stopped_, true)) return;
    if (!turn_.empty()) return stop_now();
    if (!std::exchange(planned_, std::nullopt)) return;
    asks_.turn_ended(thread_, true);
    end_turn({Ending::Kind::stopped, "the turn was stopped"});
}

void CodexAgent::stop_now() {
    call("turn/interrupt", codex::interrupt_params(thread_, turn_), [](const codex::Reply&) {});
}

void CodexAgent::turn_completed(const codex::TurnEnd& end) {
    // What it was told at the last moment may come back, and is its next message then.
    if (words_given_ > 0) {
        turn_end_ = end;
        return;
    }
    turn_.clear();
    switch (end.kind) {
        case codex::TurnEnd::Kind::done:
            planned_ = {.kind = Ending::Kind::done, .result = reader_.said()};
            if (!reader_.proposed().empty() && options_.mode == kPlanMode) return ask_about_plan();
            return end_turn(*std::exchange(planned_, std::nullopt));
        case codex::TurnEnd::Kind::stopped:
            return end_turn({Ending::Kind::stopped, "the turn was stopped"});
        case codex::TurnEnd::Kind::failed: break;
    }
    const std::string why = cut_to_clusters(end.why, limits::kLastWordsChars);
    session().tell(
        {.text = fmt::format("Codex could not finish its turn: {}", why), .level = Level::error});
    end_turn({Ending::Kind::failed, why});
}

void CodexAgent::end_turn(Ending ending) {
    session().show(reader_.end_turn());
    session().end_turn();
    turn_over(std::move(ending));
}

// Codex's own window asks that as well; the server does not.
void CodexAgent::ask_about_plan() {
    // Each is another question: what was decided about one is no decision about the next.
    const std::string name = fmt::format("plan-{}-{}", options_.run, ++plans_);
    asks_.take(codex::plan_wish(thread_, name, reader_.proposed()),
               {.name = options_.session.session}, {});
}

void CodexAgent::plan_decided(bool is_wanted) {
    if (is_wanted) {
        options_.mode = kWorkMode;
        session().say_next(std::string(kCarryOut));
    }
    // What a person said beside it comes with the same message.
    loop().post(alive_.guard([this] {
        if (auto ending = std::exchange(planned_, std::nullopt)) end_turn(std::move(*ending));
    }));
}

void CodexAgent::take(codex::ServerRequest request) {
    codex::Wish wish = codex::read_wish(std::move(request));
    if (wish.kind == codex::Wish::Kind::other)
        return send(
            codex::write_refusal(wish.id, fmt::format("parley does not serve {}", wish.method)) +
            "\n");
    if (std::string passed = codex::pass_result(wish); !passed.empty()) {
        if (wish.kind == codex::Wish::Kind::tool)
            session().tell({.text = fmt::format("{} passes by rule: it is Parley's own",
                                                codex::wanted_tool(wish))});
        return reply(wish, std::move(passed));
    }
    json::Value edit = edits_.find(wish.thread, json::text_field(wish.params, "itemId"));
    asks_.take(std::move(wish), {.name = options_.session.session}, std::move(edit));
}

void CodexAgent::take(const codex::Notification& news) {
    const std::string thread = json::text_field(news.params, "threadId");
    edits_.note(news);
    if (const auto said = codex::read_remark(news)) remark(*said);
    if (news.method == "serverRequest/resolved")
        asks_.resolved(thread, json::serialize(json::field(news.params, "requestId")));
    const json::Value& turn = json::field(news.params, "turn");
    const codex::TurnEnd end = codex::read_turn_end(turn);
    const bool is_over = news.method == "turn/completed";
    if (is_over) asks_.turn_ended(thread, end.kind == codex::TurnEnd::Kind::stopped);
    // It has threads that nobody looks at, and those of its helpers.
    if (thread != thread_) return;
    if (const auto used = codex::read_usage(news)) usage_ = used;
    if (news.method == "turn/started") turn_began(turn);
    session().show(reader_.read(news));
    if (is_over) turn_completed(end);
}

// How a Codex is set up concerns who has started it.
void CodexAgent::remark(const codex::Remark& remark) {
    if (remark.is_of_setup) return session().warn(remark.text);
    session().tell({.text = remark.text, .level = Level::warning});
}

void CodexAgent::reply(const codex::Wish& wish, std::string result) {
    if (wish.kind == codex::Wish::Kind::plan) return plan_decided(codex::carries_out(result));
    send(codex::write_reply(wish.id, result) + "\n");
}

// A turn that runs takes words behind the decision; one that is over gets them with the next.
void CodexAgent::add_words(const codex::Wish& wish, std::string words) {
    if (wish.kind == codex::Wish::Kind::plan) return session().say_next(std::move(words));
    const std::string params = codex::steer_params(wish.thread, wish.turn, words);
    ++words_given_;
    call("turn/steer", params, [this, words = std::move(words)](const codex::Reply& reply) mutable {
        if (reply.error.empty()) {
            session().tell({.text = fmt::format("Codex is told: {}",
                                                cut_to_clusters(words, limits::kLastWordsChars))});
        } else {
            say_later(std::move(words));
        }
        if (--words_given_ > 0) return;
        if (const auto end = std::exchange(turn_end_, std::nullopt)) turn_completed(*end);
    });
}

void CodexAgent::say_later(std::string words) {
    session().say_next(std::move(words));
    session().deliver();
}

void CodexAgent::close_asks(const std::string& why, Task done) {
    if (const auto used = std::exchange(usage_, std::nullopt))
        onlooker().show_notice(
            {.text = fmt::format("Codex has used {} tokens: {} read, {} written",
                                 used->input + used->output, used->input, used->output)});
    asks_.withdraw_all(why, std::move(done));
}

}  // namespace parley

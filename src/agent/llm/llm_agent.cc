// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/llm_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/late_answers.h"
#include "agent/limits.h"
#include "core/text_rules.h"
#include "dialect/llm/context.h"
#include "dialect/llm/parts.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley {

namespace {

using Level = NoticeGiven::Level;
using Stop = llm::Response::Stop;

StreamItem text_end(std::string part_id) {
    return StreamPart{{.kind = Part::Kind::text, .part_id = std::move(part_id)}, false};
}

StreamItem text_delta(std::string part_id, std::string text, bool is_start) {
    return PartDelta{.session = {},
                     .kind = PartDelta::Kind::text,
                     .part_id = std::move(part_id),
                     .text = std::move(text),
                     .is_start = is_start};
}

// Of what a reply says besides its words.
std::string_view early_end(Stop stop) {
    switch (stop) {
        case Stop::length: return "its reply was cut at --max-tokens";
        case Stop::refused: return "it refuses to go on";
        case Stop::done:
        case Stop::paused:
        case Stop::stopped: break;
    }
    return {};
}

// A turn that is stopped leaves the words that were seen, in their places, and no call that nobody
// made.
llm::Response cut_short(llm::Response response) {
    for (llm::Block& block : response.blocks)
        if (!std::holds_alternative<llm::TextBlock>(block)) block = llm::TextBlock();
    response.stop = Stop::stopped;
    return response;
}

DrivenSession::Options session_options(DrivenSession::Options options, MessageId last_given) {
    options.given_before = last_given;
    options.calls = LateAnswers::Calls::drivers;
    return options;
}

}  // namespace

LlmAgent::LlmAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker,
                   Finished finished)
    : loop_(loop),
      link_(link),
      options_(std::move(options)),
      onlooker_(onlooker),
      conversation_(std::move(options_.conversation)),
      asks_(link,
            {.session = options_.session.session,
             .agent = options_.session.agent,
             .timeout = options_.timeout},
            *this),
      session_({loop, loop.clock(), link},
               session_options(options_.session, conversation_.last_given()), *this, onlooker,
               std::move(finished)) {}

LlmAgent::~LlmAgent() = default;

void LlmAgent::start() {
    auto server = ModelServer::create(loop_, options_.server);
    if (!server) return session_.conclude({Ending::Kind::failed, server.error().message});
    server_ = std::move(*server);
    session_.open();
}

void LlmAgent::session_opened(std::optional<std::string>) {
    if (const auto prompt = std::exchange(options_.prompt, std::nullopt)) say(*prompt);
    if (!options_.session.is_resumed) return go_on();
    shown_ = std::make_unique<ShownParts>(link_, options_.session.session);
    shown_->start([this](const Result<std::set<ShownParts::Key>>& shown) {
        if (shown) show_missing(*shown);
        go_on();
        shown_.reset();
    });
}

// What was kept and did not arrive. The order of the log is that of the conversation, so nothing is
// missing before the last part that it has.
void LlmAgent::show_missing(const std::set<ShownParts::Key>& shown) {
    std::vector<StreamItem> missing;
    for (StreamPart& item : llm::parts_of(conversation_)) {
        if (shown.contains({item.part.kind, item.part.part_id})) {
            missing.clear();
        } else {
            missing.emplace_back(std::move(item));
        }
    }
    if (!missing.empty()) session_.show(std::move(missing));
}

// Whoever sits here now has not seen them.
void LlmAgent::show_left_open() {
    for (const AskId id : conversation_.left_open())
        link_.find_ask(id, alive_.guard([this](const Result<AskPtr>& ask) {
            if (!ask || !(*ask)->is_pending()) return;
            asked({.spec = *(*ask)->spec, .session = options_.session.session});
        }));
}

void LlmAgent::go_on() {
    life_ = Life::running;
    show_left_open();
    watch_left_open();
    switch (conversation_.next()) {
        case llm::Step::listen: return listen();
        case llm::Step::request: session_.begin_turn(); return request();
        case llm::Step::calls: session_.begin_turn(); return make_calls();
    }
}

void LlmAgent::listen() {
    session_.deliver();
    if (!session_.is_turn_running() && !session_.has_words()) onlooker_.show_idle(true);
}

void LlmAgent::make_calls() {
    const llm::CallBlock* const cut = conversation_.cut_call();
    std::optional<llm::CallDone> not_made;
    if (cut != nullptr) not_made = llm::cut_result(*cut);
    if (not_made && conversation_.cut_responses() >= limits::kLlmCutResponsesMax)
        return give_up_call(std::move(*not_made));
    for (const llm::CallBlock& call : conversation_.open_calls()) {
        if (not_made && not_made->call_id == call.id) {
            call_done(*not_made);
        } else {
            asks_.take(call);
        }
    }
}

// It would be cut again, and paid for each time.
void LlmAgent::give_up_call(llm::CallDone cut) {
    if (!keep_result(std::move(cut)) || !keep(llm::TurnStopped())) return;
    std::string why =
        fmt::format("its reply was cut at --max-tokens in the middle of a call, {} times in a row",
                    limits::kLlmCutResponsesMax);
    session_.tell({.text = fmt::format("{} ended its turn early: {}", session_.called(), why),
                   .level = Level::warning});
    end_turn({Ending::Kind::failed, std::move(why)});
}

void LlmAgent::give(std::vector<std::string> texts, Task has_them) {
    rounds_ = 0;
    if (!keep(llm::UserSaid{std::move(texts), session_.last_given(), std::exchange(telling_, {})}))
        return;
    has_them();
    request();
}

bool LlmAgent::keep(llm::Entry entry) {
    const auto kept = options_.journal.append(entry);
    if (!kept) {
        session_.tell({.text = kept.error().message, .level = Level::error});
        conclude({Ending::Kind::failed, kept.error().message});
        return false;
    }
    conversation_.add(std::move(entry));
    return true;
}

void LlmAgent::request() {
    if (++rounds_ > limits::kLlmRoundsMax)
        return model_failed(fmt::format("the model was asked {} times in one turn", rounds_ - 1));
    texts_shown_.clear();
    onlooker_.show_idle(false);
    ModelCall::Listener& listener = *this;
    call_ = std::make_unique<ModelCall>(loop_, loop_.clock(), *server_, options_.random, listener);
    call_->start();
}

std::string LlmAgent::request_body() {
    const std::size_t fixed = llm::fixed_tokens(options_.profile);
    const std::size_t all = options_.profile.context_tokens;
    const llm::Context context = llm::trim(conversation_, all - std::min(fixed, all));
    if (context.left_out > left_out_)
        session_.tell({.text = fmt::format("{} is sent the conversation without {} of its earlier "
                                           "replies: it would not fit into --context {}",
                                           session_.called(), context.left_out, all)});
    left_out_ = context.left_out;
    return llm::write_request(options_.profile, context, server_->wishes());
}

std::string LlmAgent::part_id(std::size_t block) const {
    return llm::text_part_id(conversation_.responses(), block);
}

void LlmAgent::model_says(llm::ResponseReader::Piece piece) {
    const bool is_start = texts_shown_.insert(piece.block).second;
    session_.show({text_delta(part_id(piece.block), std::move(piece.text), is_start)});
}

// What was shown is taken back: it begins again from nothing.
void LlmAgent::model_begins_again(std::string why) {
    for (const std::size_t block : std::exchange(texts_shown_, {}))
        session_.show({text_delta(part_id(block), {}, true)});
    session_.tell({.text = fmt::format("{}: {}", session_.called(), escape_unsafe(why)),
                   .level = Level::warning});
}

void LlmAgent::model_said(llm::Response response) {
    call_.reset();
    conversation_.name_calls(response);
    std::vector<StreamItem> items;
    for (StreamPart& end : llm::parts_of(response, conversation_.responses())) {
        // A text has arrived in pieces.
        if (end.part.kind == Part::Kind::text) {
            items.push_back(text_end(std::move(end.part.part_id)));
        } else {
            items.emplace_back(std::move(end));
        }
    }
    const Stop stop = response.stop;
    const std::string words = llm::words_of(response);
    if (!keep(llm::ModelSaid{std::move(response)})) return;
    session_.show(std::move(items));
    switch (conversation_.next()) {
        case llm::Step::request: return request();
        case llm::Step::calls: return make_calls();
        case llm::Step::listen: break;
    }
    if (const std::string_view why = early_end(stop); !why.empty())
        session_.tell({.text = fmt::format("{} ended its turn early: {}", session_.called(), why),
                       .level = Level::warning});
    end_turn({.kind = Ending::Kind::done, .result = words});
}

void LlmAgent::model_failed(std::string why) {
    call_.reset();
    why = cut_to_clusters(escape_unsafe(why), limits::kLastWordsChars);
    session_.tell({.text = fmt::format("{} cannot be asked: {}", session_.called(), why),
                   .level = Level::error});
    end_turn({Ending::Kind::failed, std::move(why)});
}

bool LlmAgent::keep_result(llm::CallDone done) {
    StreamItem shown = llm::part_of(done, conversation_.find_call(done.call_id));
    if (!keep(std::move(done))) return false;
    session_.show({std::move(shown)});
    return true;
}

void LlmAgent::call_done(llm::CallDone done) {
    if (life_ == Life::quitting || !keep_result(std::move(done))) return;
    watch_left_open();
    if (conversation_.next() == llm::Step::request) request();
}

void LlmAgent::watch_left_open() {
    for (const AskId ask : conversation_.left_open()) asks_.watch(ask);
}

void LlmAgent::settled_late(AskPtr ask) {
    late_.push_back(std::move(ask));
    if (!session_.is_turn_running()) tell_late();
}

// A call may have brought it meanwhile.
void LlmAgent::tell_late() {
    for (const AskPtr& ask : std::exchange(late_, {})) {
        const auto open = conversation_.left_open();
        const bool is_known = std::ranges::find(open, ask->id) == open.end();
        if (is_known || ask->state() == AskState::withdrawn) continue;
        telling_.push_back(ask->id);
        session_.say_next(late_answer_text(*ask));
    }
    session_.deliver();
}

void LlmAgent::end_turn(Ending ending) {
    session_.end_turn();
    ending_ = std::move(ending);
    tell_late();
    if (session_.is_turn_running() || life_ == Life::quitting) return;
    if (options_.ends_with_turn && !session_.has_words()) return conclude(*ending_);
    ending_.reset();
    onlooker_.show_idle(true);
}

void LlmAgent::turn_stopped() {
    if (!session_.is_turn_running() || life_ != Life::running) return;
    if (call_) {
        llm::Response response = cut_short(call_->so_far());
        call_.reset();
        for (const std::size_t block : std::exchange(texts_shown_, {}))
            session_.show({text_end(part_id(block))});
        if (!llm::words_of(response).empty() && !keep(llm::ModelSaid{std::move(response)})) return;
    }
    for (llm::CallDone& done : asks_.stop())
        if (!keep_result(std::move(done))) return;
    if (!keep(llm::TurnStopped())) return;
    end_turn({Ending::Kind::stopped, "the turn was stopped"});
}

void LlmAgent::session_ended(std::string why) {
    conclude({Ending::Kind::session_ended, std::move(why)});
}

// What it has asked waits on: whoever resumes the session finds the answers.
void LlmAgent::quit() {
    conclude(ending_.value_or(Ending{Ending::Kind::stopped}));
}

void LlmAgent::conclude(Ending ending) {
    if (std::exchange(life_, Life::quitting) == Life::quitting) return;
    call_.reset();
    const llm::Usage& used = conversation_.usage();
    ending.usage = Usage{.input = used.input, .cached = used.cached, .output = used.output};
    session_.conclude(std::move(ending));
}

}  // namespace parley

// SPDX-License-Identifier: Apache-2.0
#include "app/serve/notifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "app/limits.h"
#include "base/overload.h"
#include "core/display.h"
#include "core/settlement_phrase.h"
#include "core/text_rules.h"
#include "dialect/native/server.h"
#include "text/json.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

constexpr std::string_view kOpened = "opened";
constexpr std::string_view kWaiting = "waiting";
constexpr std::string_view kSettled = "settled";

std::string title_of(const Ask& ask) {
    return one_line(ask_title(*ask.spec), limits::kNotifyTitleChars);
}

// How it ended, on one line; empty while it waits.
std::string outcome_of(const Ask& ask) {
    if (!ask.settlement) return {};
    return one_line(settlement_phrase(*ask.settlement), limits::kNotifyTitleChars);
}

std::string complaint(const net::ProgramEnd& end) {
    std::string why = end.is_late ? fmt::format("it took longer than {} and was stopped",
                                                format_duration(limits::kNotifyTime))
                                  : end.status.str();
    if (!end.complaint.empty()) why += ": " + one_line(end.complaint, limits::kNotifyTitleChars);
    return why;
}

}  // namespace

std::string notification(std::string_view event, const Ask& ask, std::string_view address,
                         Instant now) {
    std::string text;
    json::Writer out(text);
    out.begin_object()
        .field("event", event)
        .field("at", format_rfc3339(now))
        .field("title", title_of(ask));
    if (ask.settlement) out.field("outcome", outcome_of(ask));
    out.field("link", address).key("ask");
    native::write_ask(out, ask);
    out.end_object();
    return text + "\n";
}

void Notifier::start() {
    following_ = wiring_.link.follow({}, *this);
}

// What is in the snapshot was told of when it opened, by this process or the one before. That it
// still waits may not have been.
void Notifier::on_frames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) {
        if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
            unlisted_.erase(listed->ask->id);
            watch(listed->ask);
        } else if (std::holds_alternative<Reset>(frame)) {
            for (const auto& [id, waiting] : open_) unlisted_.insert(id);
        } else if (std::holds_alternative<SnapshotEnd>(frame)) {
            for (const AskId id : std::exchange(unlisted_, {})) forget(id);
        } else if (const auto* event = std::get_if<EventPtr>(&frame)) {
            take(**event);
        }
    }
}

void Notifier::take(const Event& event) {
    std::visit(
        Overload{
            [this](const AskOpened& opened) {
                add(kOpened, opened.ask);
                watch(opened.ask);
            },
            [this](const AskSettled& settled) {
                forget(settled.ask->id);
                add(kSettled, settled.ask);
            },
            [](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, PartAdded, MessageAdded, MessagesTaken, NoticeGiven,
                           AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&) {},
        },
        event.body);
}

void Notifier::watch(const AskPtr& ask) {
    if (!settings_.after) return;
    const Millis left = ask->created_at + *settings_.after - wiring_.clock.wall();
    const Mono due = wiring_.clock.mono() + std::max(left, Millis::zero());
    const bool is_new = open_.emplace(ask->id, Waiting{ask, due}).second;
    if (!is_new) return;
    due_.emplace(due, ask->id);
    arm();
}

void Notifier::forget(AskId id) {
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    due_.erase({found->second.due, id});
    open_.erase(found);
}

void Notifier::arm() {
    if (due_.empty() || (armed_for_ && *armed_for_ <= due_.begin()->first)) return;
    armed_for_ = due_.begin()->first;
    wiring_.home.post_at(*armed_for_, alive_.guard([this] { fire_due(); }));
}

void Notifier::fire_due() {
    armed_for_.reset();
    const Mono now = wiring_.clock.mono();
    while (!due_.empty() && due_.begin()->first <= now) {
        const AskId id = due_.begin()->second;
        due_.erase(due_.begin());
        add(kWaiting, open_.at(id).ask);
    }
    arm();
}

void Notifier::add(std::string_view event, AskPtr ask) {
    if (queue_.size() >= limits::kNotifyQueued) {
        // Said at once, and how many once there is room again.
        if (++dropped_ == 1) wiring_.told.notify_dropped(1);
        return;
    }
    queue_.push_back({event, std::move(ask)});
    run_next();
}

void Notifier::run_next() {
    while (running_.size() < limits::kNotifyRunning) {
        const auto next = std::ranges::find_if(
            queue_, [this](const Job& job) { return !running_.contains(job.ask->id); });
        if (next == queue_.end()) break;
        Job job = std::move(*next);
        queue_.erase(next);
        run(std::move(job));
    }
    if (dropped_ > 0 && queue_.size() < limits::kNotifyQueued / 2) {
        if (dropped_ > 1) wiring_.told.notify_dropped(dropped_);
        dropped_ = 0;
    }
}

void Notifier::run(Job job) {
    running_.insert(job.ask->id);
    wiring_.claim(job.event, job.ask->id, alive_.guard([this, job](bool is_ours) {
        if (is_ours) return run_program(job);
        running_.erase(job.ask->id);
        run_next();
    }));
}

void Notifier::run_program(Job job) {
    net::ProgramRun what = program(job);
    wiring_.run(std::move(what),
                alive_.guard([this, job = std::move(job)](Result<net::ProgramEnd> end) {
                    ended(job, end);
                }));
}

void Notifier::ended(const Job& job, const Result<net::ProgramEnd>& end) {
    running_.erase(job.ask->id);
    const bool is_good = end && !end->is_late && end->status.ok();
    if (!is_good)
        wiring_.told.notify_failed(job.event, job.ask->id.str(),
                                   end ? complaint(*end) : end.error().message);
    run_next();
}

net::ProgramRun Notifier::program(const Job& job) const {
    const std::string address = wiring_.address(job.ask->id);
    std::vector<std::string> variables = settings_.environment;
    variables.push_back("PARLEY_EVENT=" + std::string(job.event));
    variables.push_back("PARLEY_ASK=" + job.ask->id.str());
    variables.push_back("PARLEY_TITLE=" + title_of(*job.ask));
    variables.push_back("PARLEY_OUTCOME=" + outcome_of(*job.ask));
    variables.push_back("PARLEY_LINK=" + address);
    return {.argv = settings_.command,
            .environment = std::move(variables),
            .input = notification(job.event, *job.ask, address, wiring_.clock.wall()),
            .time = limits::kNotifyTime,
            .last_words = limits::kNotifyLastWords};
}

}  // namespace parley::app

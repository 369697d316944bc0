// SPDX-License-Identifier: Apache-2.0
#include "agent/stream_pusher.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "client/away.h"
#include "client/limits.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/push_refusal.h"

namespace parley {

namespace {

// Whether `next` was made part of `last`.
bool join(StreamItem& last, StreamItem& next) {
    auto* before = std::get_if<PartDelta>(&last);
    const auto* after = std::get_if<PartDelta>(&next);
    if (before == nullptr || after == nullptr || after->is_start) return false;
    if (before->kind != after->kind || before->part_id != after->part_id) return false;
    before->text += after->text;
    return true;
}

std::size_t bytes_of(const StreamItem& item) {
    if (const auto* delta = std::get_if<PartDelta>(&item)) return delta->text.size();
    if (const auto* end = std::get_if<StreamPart>(&item)) return end->part.body.size();
    return 0;
}

// The first `bytes` of the delta, in whole characters; the rest of it stays.
PartDelta take_front(PartDelta& delta, std::size_t bytes) {
    const auto is_inside = [&](std::size_t at) {
        return (static_cast<unsigned char>(delta.text[at]) & 0xC0U) == 0x80U;
    };
    while (bytes > 0 && is_inside(bytes)) --bytes;
    PartDelta front = delta;
    front.text.resize(bytes);
    delta.text.erase(0, bytes);
    delta.is_start = false;
    return front;
}

}  // namespace

StreamPusher::StreamPusher(Executor& home, const Clock& clock, Link& link, std::string session)
    : home_(home),
      clock_(clock),
      link_(link),
      session_(std::move(session)),
      delay_(limits::kRetryDelayMin) {}

void StreamPusher::push(StreamItem item) {
    if (is_over_) return;
    if (!waiting_.empty() && join(waiting_.back(), item)) return;
    // A broker that is away for so long gets the latest.
    if (waiting_.size() >= limits::kStreamQueueMax) {
        lose(waiting_.front());
        waiting_.pop_front();
    }
    waiting_.push_back(std::move(item));
    if (!is_under_way_) send();
}

void StreamPusher::when_done(Task task) {
    if (is_under_way_) {
        when_done_.push_back(std::move(task));
    } else {
        home_.post(std::move(task));
    }
}

void StreamPusher::send() {
    fill();
    is_under_way_ = !sending_.empty();
    if (!is_under_way_) {
        for (Task& task : std::exchange(when_done_, {})) task();
        return;
    }
    link_.push(session_, sending_, alive_.guard([this](Result<void> result) { sent(result); }));
}

void StreamPusher::fill() {
    std::size_t room = limits::kPushedBytes;
    while (!waiting_.empty() && sending_.size() < limits::kPushedAtOnce) {
        StreamItem& next = waiting_.front();
        auto* delta = std::get_if<PartDelta>(&next);
        if (delta != nullptr && delta->is_start) lost_.erase({delta->kind, delta->part_id});
        if (const auto key = continued(next); key && lost_.contains(*key)) {
            waiting_.pop_front();
            continue;
        }
        if (bytes_of(next) > room) {
            // What cannot be cut goes alone.
            if (delta != nullptr && room == limits::kPushedBytes) {
                sending_.emplace_back(take_front(*delta, room));
                return;
            }
            if (!sending_.empty()) return;
        }
        room -= std::min(room, bytes_of(next));
        sending_.push_back(std::move(next));
        waiting_.pop_front();
    }
}

void StreamPusher::sent(const Result<void>& result) {
    if (result) {
        arrived(sending_.size());
        delay_ = limits::kRetryDelayMin;
        return send();
    }
    const Error& error = result.error();
    const auto item = refused_item(error);
    arrived(applied_items(error));
    if (is_away(error)) {
        // Without an item nobody knows what of it arrived.
        if (!item) return look_later();
        put_back();
        return retry_later();
    }
    delay_ = limits::kRetryDelayMin;
    refused(error);
    put_back();
    send();
}

void StreamPusher::refused(const Error& error) {
    const std::size_t at = refused_item(error).value_or(0) - applied_items(error);
    const bool is_one = refused_item(error).has_value() && at < sending_.size();
    const auto key = is_one ? continued(sending_[at]) : std::nullopt;
    const bool is_missing = error.code == ErrorCode::conflict && key.has_value();
    if (is_missing && find_open(*key) != open_.end()) return begin_parts_again();
    is_over_ =
        error.code == ErrorCode::not_found || (error.code == ErrorCode::conflict && !is_missing);
    if (is_over_) {
        waiting_.clear();
        sending_.clear();
        open_.clear();
    } else if (is_one) {
        lose(sending_[at]);
        sending_.erase(sending_.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
        for (const StreamItem& each : sending_) lose(each);
        sending_.clear();
    }
}

void StreamPusher::retry_later() {
    delay_ = std::min<Millis>(delay_ * 2, limits::kRetryDelayMax);
    home_.post_at(clock_.mono() + delay_, alive_.guard([this] { send(); }));
}

void StreamPusher::look_later() {
    const bool has_whole_parts = std::ranges::any_of(
        sending_, [](const StreamItem& item) { return std::holds_alternative<StreamPart>(item); });
    if (!has_whole_parts) {
        begin_parts_again();
        return retry_later();
    }
    delay_ = std::min<Millis>(delay_ * 2, limits::kRetryDelayMax);
    home_.post_at(clock_.mono() + delay_, alive_.guard([this] {
        link_.list_log(session_, std::nullopt,
                       alive_.guard([this](const Result<SessionLog>& log) { looked(log); }));
    }));
}

void StreamPusher::looked(const Result<SessionLog>& log) {
    if (!log && is_away(log.error())) return look_later();
    if (log) arrived(count_written(*log));
    begin_parts_again();
    send();
}

// The items up to the last whole part that the log ends with, behind those that are known to be
// there: an agent has a single stream.
std::size_t StreamPusher::count_written(const SessionLog& log) const {
    std::vector<Mark> there;
    for (const EventPtr& event : log.events)
        if (const auto part = part_in(*event)) there.emplace_back(part->kind, part->part_id);
    std::vector<Mark> wanted(written_.begin(), written_.end());
    const auto is_end_of_log = [&] {
        const auto count = static_cast<std::ptrdiff_t>(std::min(wanted.size(), there.size()));
        return std::equal(wanted.end() - count, wanted.end(), there.end() - count);
    };
    std::size_t written = 0;
    std::size_t parts = 0;
    for (std::size_t at = 0; at < sending_.size() && parts < there.size(); ++at) {
        const auto* whole = std::get_if<StreamPart>(&sending_[at]);
        if (whole == nullptr) continue;
        ++parts;
        wanted.emplace_back(whole->part.kind, whole->part.part_id);
        if (is_end_of_log()) written = at + 1;
    }
    return written;
}

void StreamPusher::arrived(std::size_t count) {
    const auto end =
        sending_.begin() + static_cast<std::ptrdiff_t>(std::min(count, sending_.size()));
    for (auto each = sending_.begin(); each != end; ++each) {
        if (const auto* delta = std::get_if<PartDelta>(&*each)) {
            const auto known = find_open({delta->kind, delta->part_id});
            if (known == open_.end()) {
                if (delta->is_start) open_.push_back(*delta);
            } else if (delta->is_start) {
                known->text = delta->text;
            } else {
                known->text += delta->text;
            }
        } else if (const auto* whole = std::get_if<StreamPart>(&*each)) {
            written_.emplace_back(whole->part.kind, whole->part.part_id);
            if (written_.size() > limits::kPartsRemembered) written_.pop_front();
            if (const auto key = key_of(whole->part)) {
                if (const auto known = find_open(*key); known != open_.end()) open_.erase(known);
            } else if (whole->part.kind == Part::Kind::finish) {
                open_.clear();
            }
        }
    }
    sending_.erase(sending_.begin(), end);
}

std::optional<StreamPusher::Key> StreamPusher::key_of(const Part& part) {
    switch (part.kind) {
        case Part::Kind::text: return Key(PartDelta::Kind::text, part.part_id);
        case Part::Kind::tool_input:
        case Part::Kind::tool_input_error: return Key(PartDelta::Kind::tool_input, part.part_id);
        case Part::Kind::tool_output:
        case Part::Kind::finish: break;
    }
    return std::nullopt;
}

std::optional<StreamPusher::Key> StreamPusher::continued(const StreamItem& item) {
    if (const auto* delta = std::get_if<PartDelta>(&item)) {
        if (!delta->is_start) return Key(delta->kind, delta->part_id);
    } else if (const auto* end = std::get_if<StreamPart>(&item)) {
        if (!end->has_body) return key_of(end->part);
    }
    return std::nullopt;
}

std::vector<PartDelta>::iterator StreamPusher::find_open(const Key& key) {
    return std::find_if(open_.begin(), open_.end(), [&](const PartDelta& part) {
        return part.kind == key.first && part.part_id == key.second;
    });
}

void StreamPusher::put_back() {
    waiting_.insert(waiting_.begin(), std::make_move_iterator(sending_.begin()),
                    std::make_move_iterator(sending_.end()));
    sending_.clear();
}

void StreamPusher::begin_parts_again() {
    put_back();
    for (const PartDelta& part : open_) sending_.emplace_back(part);
    put_back();
}

void StreamPusher::lose(const StreamItem& item) {
    const auto* delta = std::get_if<PartDelta>(&item);
    if (delta == nullptr) return;
    const Key key(delta->kind, delta->part_id);
    lost_.insert(key);
    if (const auto known = find_open(key); known != open_.end()) open_.erase(known);
}

}  // namespace parley

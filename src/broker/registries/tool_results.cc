// SPDX-License-Identifier: Apache-2.0
#include "broker/registries/tool_results.h"

#include <algorithm>
#include <vector>

#include "broker/limits.h"

namespace parley {

ToolResults::~ToolResults() {
    while (!waiters_.empty()) give_up(waiters_.begin()->first);
}

bool ToolResults::publish(const std::string& call_id, PublishedResult result) {
    if (use(call_id)) return false;
    const auto shared = std::make_shared<const PublishedResult>(std::move(result));
    keep(call_id, shared);
    std::vector<Number> told;
    const auto [first, last] = waiting_for_.equal_range(call_id);
    for (auto waiting = first; waiting != last; ++waiting) told.push_back(waiting->second);
    waiting_for_.erase(first, last);
    std::sort(told.begin(), told.end());
    for (const Number number : told)
        tell(std::move(waiters_.extract(number).mapped().told), shared);
    return true;
}

ToolResults::Number ToolResults::wait_for(const std::string& call_id, WaitOptions options,
                                          Told told) {
    const Number number = next_number_++;
    if (PublishedResultPtr result = use(call_id)) {
        tell(std::move(told), std::move(result));
        return number;
    }
    if (waiters_.size() >= limits::kToolResultWaitersMax) {
        tell(std::move(told), reject(ErrorCode::overloaded, "too many wait for tool results"));
        return number;
    }
    waiters_.emplace(number, Waiter{call_id, std::move(told)});
    waiting_for_.emplace(call_id, number);
    if (options.timeout) {
        wiring_.home.post_at(wiring_.clock.mono() + *options.timeout, alive_.guard([this, number] {
            end(number, {ErrorCode::timed_out, "no tool result came"});
        }));
    }
    return number;
}

void ToolResults::give_up(Number number) {
    end(number, {ErrorCode::interrupted, "the wait for a tool result was given up"});
}

void ToolResults::end(Number number, Error error) {
    auto waiter = waiters_.extract(number);
    if (!waiter) return;
    const auto [first, last] = waiting_for_.equal_range(waiter.mapped().call_id);
    const auto waiting =
        std::find_if(first, last, [number](const auto& one) { return one.second == number; });
    waiting_for_.erase(waiting);
    tell(std::move(waiter.mapped().told), reject(std::move(error)));
}

PublishedResultPtr ToolResults::use(const std::string& call_id) {
    const auto found = kept_by_call_.find(call_id);
    if (found == kept_by_call_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found->second);
    return found->second->result;
}

void ToolResults::keep(const std::string& call_id, PublishedResultPtr result) {
    if (kept_.size() >= limits::kToolResultsKept) {
        kept_by_call_.erase(kept_.back().call_id);
        kept_.pop_back();
    }
    kept_.push_front({call_id, std::move(result)});
    kept_by_call_.emplace(call_id, kept_.begin());
}

void ToolResults::tell(Told told, Result<PublishedResultPtr> result) {
    wiring_.home.post([told = std::move(told), result = std::move(result)]() mutable {
        told(std::move(result));
    });
}

}  // namespace parley

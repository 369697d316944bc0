// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: what it, its tickets and its watches share. Has a home, where the link
// to the broker lives, and owns the threads on which code of the program runs. After close() it is
// an empty shell that refuses everything.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "base/loop_thread.h"
#include "base/result.h"
#include "client/link.h"
#include "client/program/home.h"
#include "client/program/hook.h"

namespace parley::program {

class HandlerRunner;
class WatchState;

// What the program gave along: see BrokerOptions.
struct ProgramCode {
    std::function<void(std::coroutine_handle<>)> resume;
    std::function<void(std::string_view what)> on_problem;
};

class Core {
public:
    [[nodiscard]] static Result<std::shared_ptr<Core>> open(std::unique_ptr<Home> home,
                                                            ProgramCode code);
    Core(std::unique_ptr<Home> home, ProgramCode code);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    // Any thread, as AnyBroker::close().
    void close();

    // Any thread. The task runs on the loop, with the link; false, and it is dropped, once the core
    // closes. What was accepted runs before the link goes.
    template <class F>
    bool post(F task) {
        const std::lock_guard lock(mutex_);
        if (!is_open_) return false;
        home_->loop().post([this, task = std::move(task)]() mutable { task(home_->link()); });
        return true;
    }

    // Any thread of the program. Blocks until the link has called back.
    template <class T, class Start>
    Result<T> call(Start start) {
        Slot<T> slot;
        const bool is_posted =
            post([hook = Hook<T, Slot<T>*>(&slot), start = std::move(start)](Link& link) mutable {
                start(link, Done<T>(std::move(hook)));
            });
        if (!is_posted) return reject(closed_error());
        return slot.take();
    }

    // Code of the program. Any thread; once the callback thread has gone, it runs at once.
    void post_callback(Task task);
    void post_handler(Task task);
    // Runs such code and reports what it throws.
    template <class F>
    void guard(std::string_view what, F&& code) {
        try {
            std::forward<F>(code)();
        } catch (const std::exception& thrown) {
            report(std::string(what) + " threw: " + thrown.what());
        } catch (...) {
            report(std::string(what) + " threw something that is no std::exception");
        }
    }
    void resume(std::coroutine_handle<> coroutine);
    void report(std::string problem);

    // On the loop. A watch is listed while it follows.
    void add_watch(std::shared_ptr<WatchState> watch) { watches_.insert(std::move(watch)); }
    void drop_watch(const std::shared_ptr<WatchState>& watch) { watches_.erase(watch); }
    // Returns the handler that was there, already cut off.
    std::shared_ptr<HandlerRunner> replace_handler(std::shared_ptr<HandlerRunner> handler);
    // On the loop: when a broker that was away may be asked again.
    void post_retry(Task task);

private:
    [[nodiscard]] Result<void> start();
    std::shared_ptr<HandlerRunner> cut_off_listeners();
    void join_threads();

    const ProgramCode code_;
    const SystemClock clock_;
    const std::unique_ptr<Home> home_;

    std::mutex close_mutex_;  // a second close() waits for the first

    std::mutex mutex_;  // guards what follows, up to the next group; the loop is posted to under it
    bool is_open_ = false;
    std::unique_ptr<LoopThread> callbacks_;
    std::unique_ptr<LoopThread> handlers_;  // made when first needed

    // Of the loop's own thread.
    std::shared_ptr<HandlerRunner> handler_;
    std::set<std::shared_ptr<WatchState>> watches_;
};

}  // namespace parley::program

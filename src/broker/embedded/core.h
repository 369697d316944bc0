// SPDX-License-Identifier: Apache-2.0
// Inside the embedded broker: what stands behind parley::Broker and its tickets. Owns the threads
// and everything that lives on them: the loop with the LoopBroker, the store's thread, the threads
// on which code of the program runs. Shared by the Broker and its tickets and watches; after
// close() it is an empty shell that refuses everything.
#pragma once

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
#include "broker/broker.h"
#include "broker/embedded/hook.h"
#include "core/settle.h"
#include "parley/broker.h"
#include "store/engine.h"
#include "store/store.h"

namespace parley::embedded {

class HandlerRunner;

class Core {
public:
    [[nodiscard]] static Result<std::shared_ptr<Core>> open(BrokerOptions options);
    explicit Core(BrokerOptions options);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    // Any thread, as Broker::close().
    void close();

    // Any thread. The task runs on the loop, with the LoopBroker; false, and it is dropped, once
    // the broker closes. What was accepted runs before the LoopBroker goes.
    template <class F>
    bool post(F task) {
        const std::lock_guard lock(mutex_);
        if (is_closing_) return false;
        loop_->post([this, task = std::move(task)]() mutable { task(live_->broker); });
        return true;
    }

    // Any thread of the program. Blocks until the LoopBroker has called back.
    template <class T, class Start>
    Result<T> call(Start start) {
        Slot<T> slot;
        const bool is_posted =
            post([hook = Hook<T, Slot<T>*>(&slot), start = std::move(start)](
                     LoopBroker& broker) mutable { start(broker, Done<T>(std::move(hook))); });
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

    Actor actor(std::optional<std::string> by = {}) const;

    // On the loop. A watch is listed while it holds a subscription.
    void add_watch(std::shared_ptr<WatchState> watch) { live_->watches.insert(std::move(watch)); }
    void drop_watch(const std::shared_ptr<WatchState>& watch) { live_->watches.erase(watch); }
    // Returns the handler that was there, already cut off.
    std::shared_ptr<HandlerRunner> replace_handler(std::shared_ptr<HandlerRunner> handler);

private:
    // Of the loop's own thread.
    struct Live {
        Live(std::unique_ptr<Engine> engine, Store::Wiring wiring)
            : store(std::move(engine), wiring),
              broker({wiring.home, wiring.clock, store, system_random()}) {}

        Store store;
        LoopBroker broker;
        std::shared_ptr<HandlerRunner> handler = {};
        std::set<std::shared_ptr<WatchState>> watches = {};
    };

    Result<void> start(std::unique_ptr<Engine> engine);
    std::shared_ptr<HandlerRunner> cut_off_listeners();
    void stop_loop_broker();
    void join_threads();

    const BrokerOptions options_;
    const SystemClock clock_;

    std::mutex close_mutex_;  // a second close() waits for the first

    std::mutex mutex_;  // guards what follows, up to the next group
    bool is_closing_ = false;
    std::unique_ptr<LoopThread> callbacks_;
    std::unique_ptr<LoopThread> handlers_;  // made when first needed

    // Constant from construction to the end of close(). The loop is posted to under mutex_.
    std::unique_ptr<LoopThread> loop_;
    std::unique_ptr<LoopThread> worker_;

    // Of the loop's own thread.
    std::unique_ptr<Live> live_;
};

}  // namespace parley::embedded

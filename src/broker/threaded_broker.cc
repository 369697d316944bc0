// SPDX-License-Identifier: Apache-2.0
#include "broker/threaded_broker.h"

#include <utility>

#include "base/ids.h"
#include "store/engine_url.h"

namespace parley {

ThreadedBroker::Live::Live(std::unique_ptr<Engine> engine, Store::Wiring wiring)
    : store(std::move(engine), wiring),
      broker({wiring.home, wiring.clock, store, system_random()}) {}

Result<std::unique_ptr<ThreadedBroker>> ThreadedBroker::make(std::string_view store_url) {
    std::unique_ptr<ThreadedBroker> made(new ThreadedBroker());
    TRY(engine, make_engine(store_url, made->clock_, {}, &made->clock_));
    made->engine_ = std::move(engine);
    return made;
}

ThreadedBroker::ThreadedBroker()
    : loop_(std::make_unique<LoopThread>()), worker_(std::make_unique<LoopThread>()) {}

ThreadedBroker::~ThreadedBroker() {
    worker_.reset();
    loop_.reset();
}

void ThreadedBroker::start(Done<void> done) {
    live_ = std::make_unique<Live>(std::move(engine_), Store::Wiring{*worker_, *loop_, clock_});
    live_->broker.start(std::move(done));
}

void ThreadedBroker::stop(Task stopped) {
    live_->broker.stop([this, stopped = std::move(stopped)]() mutable {
        // Not inside the store's own callback.
        loop_->post([this, stopped = std::move(stopped)]() mutable {
            stopped();
            live_.reset();
        });
    });
}

}  // namespace parley

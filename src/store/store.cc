// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <utility>

#include "store/slices.h"
#include "store/store_queue.h"

namespace parley {

Store::Store(std::unique_ptr<Engine> engine, Wiring wiring)
    : queue_(std::make_shared<Queue>(std::move(engine), wiring)) {
    queue_->watch_feed();
}

Store::~Store() {
    queue_->abandon();
}

void Store::open(StoreListener& listener, Done<Snapshot> done) {
    queue_->open(listener, std::move(done));
}

void Store::close(UniqueFunction<void()> done) {
    queue_->close(std::move(done));
}

void Store::check() {
    queue_->check();
}

void Store::catch_up(UniqueFunction<void()> done) {
    queue_->catch_up(std::move(done));
}

void Store::commit(Change&& change, CommitDone done) {
    queue_->commit(std::move(change), std::move(done));
}

void Store::commit(std::vector<Change> changes, CommitDone done) {
    queue_->commit(std::move(changes), std::move(done));
}

void Store::find_ask(AskId id, Done<AskPtr> done) {
    queue_->read<AskPtr>([id](Engine& engine) { return engine.find_ask(id); }, std::move(done));
}

void Store::find_ask_by_call(SessionId session, std::string call_id, Done<AskPtr> done) {
    queue_->read<AskPtr>([session, call_id = std::move(call_id)](
                             Engine& engine) { return engine.find_ask_by_call(session, call_id); },
                         std::move(done));
}

void Store::find_session(SessionId id, Done<SessionPtr> done) {
    queue_->read<SessionPtr>([id](Engine& engine) { return engine.find_session(id); },
                             std::move(done));
}

void Store::list_asks(AskQuery query, Done<AskPage> done) {
    queue_->read_page(AskSlices(std::move(query)), std::move(done));
}

void Store::list_sessions(SessionQuery query, Done<SessionPage> done) {
    queue_->read_page(SessionSlices(query), std::move(done));
}

void Store::list_events(EventQuery query, Done<EventPage> done) {
    queue_->read_page(EventSlices(query), std::move(done));
}

void Store::run_between(UniqueFunction<void(Engine&)> work, UniqueFunction<void()> done) {
    queue_->run_between(std::move(work), std::move(done));
}

const StoreStats& Store::stats() const {
    return queue_->stats();
}

}  // namespace parley

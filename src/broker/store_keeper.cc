// SPDX-License-Identifier: Apache-2.0
#include "broker/store_keeper.h"

#include <fmt/format.h>

#include <utility>

#include "broker/limits.h"
#include "store/engine.h"

namespace parley {

Retention KeepTimes::before(Instant now) const {
    const auto ago = [now](const std::optional<Millis>& time) {
        return time ? std::optional(now - *time) : std::nullopt;
    };
    return {.asks = ago(asks), .sessions = ago(sessions), .messages = ago(messages)};
}

// Shared with what it has posted, which may come when the keeper is gone.
class StoreKeeper::Self : public std::enable_shared_from_this<Self> {
public:
    Self(Wiring wiring, KeepTimes times) : wiring_(std::move(wiring)), times_(times) {}

    void start() {
        const Retention before = times_.before(wiring_.clock.wall());
        if (before.is_endless()) return;
        later(limits::kPruneFirst, [](Self& self) { self.prune_by_setting(); });
    }
    void end() { is_over_ = true; }
    const std::string& url() const { return wiring_.url; }

    void begin_copy(Done<Copy> done) {
        run<void>([](Engine& engine) { return engine.begin_copy(); },
                  [done = std::move(done)](Self& self, Result<void> begun) mutable {
                      if (!begun) return done(reject(std::move(begun).error()));
                      self.copy_ = fmt::format("{:016x}", self.wiring_.random());
                      self.touch_copy();
                      self.look_at_copy(self.copy_, std::move(done));
                  });
    }

    void look_at_copy(std::string_view id, Done<Copy> done) {
        if (!knows(id, done)) return;
        step_copy(wiring_.clock.mono() + limits::kKeeperMoment, std::move(done));
    }

    void read_copy(std::string_view id, std::uint64_t offset, Done<std::string> done) {
        if (!knows(id, done)) return;
        run<std::string>(
            [offset](Engine& engine) { return engine.read_copy(offset, limits::kCopyReadBytes); },
            [done = std::move(done)](Self&, Result<std::string> bytes) mutable {
                done(std::move(bytes));
            });
    }

    void drop_copy(std::string_view id, Done<void> done) {
        if (!knows(id, done)) return;
        copy_.clear();
        run<void>(
            [](Engine& engine) -> Result<void> {
                engine.drop_copy();
                return {};
            },
            [done = std::move(done)](Self&, Result<void> dropped) mutable {
                done(std::move(dropped));
            });
    }

    void prune(const Retention& before, Done<Pruned> done) {
        prune_slices(before, {}, wiring_.clock.mono() + limits::kKeeperMoment, std::move(done));
    }

private:
    // `work` on the store's thread, and then `told`, unless the keeper is gone.
    template <class T, class Work, class Told>
    void run(Work work, Told told) {
        const auto result = std::make_shared<Result<T>>(reject(
            ErrorCode::unavailable, "the store is being opened again; try again in a moment"));
        wiring_.store.run_between(
            [result, work](Engine& engine) { *result = work(engine); },
            [self = shared_from_this(), result, told = std::move(told)]() mutable {
                if (!self->is_over_) told(*self, std::move(*result));
            });
    }

    void later(Millis delay, void (*task)(Self&)) {
        wiring_.home.post_at(wiring_.clock.mono() + delay, [self = shared_from_this(), task] {
            if (!self->is_over_) task(*self);
        });
    }

    template <class T>
    bool knows(std::string_view id, Done<T>& done) {
        if (!copy_.empty() && id == copy_) {
            touch_copy();
            return true;
        }
        wiring_.home.post([done = std::move(done)]() mutable {
            done(reject(ErrorCode::not_found,
                        "there is no such copy; nobody asked for it for a while, or it was lost "
                        "with the store"));
        });
        return false;
    }

    void touch_copy() {
        copy_touched_ = wiring_.clock.mono();
        if (std::exchange(is_copy_watched_, true)) return;
        later(limits::kCopyForgotten, [](Self& self) { self.forget_copy(); });
    }

    void forget_copy() {
        is_copy_watched_ = false;
        if (copy_.empty()) return;
        if (wiring_.clock.mono() - copy_touched_ < limits::kCopyForgotten) {
            is_copy_watched_ = true;
            return later(limits::kCopyForgotten, [](Self& self) { self.forget_copy(); });
        }
        drop_copy(std::string(copy_), [](const Result<void>&) {});
    }

    void step_copy(Mono until, Done<Copy> done) {
        run<CopyState>(
            [](Engine& engine) { return engine.copy_slice(); },
            [until, done = std::move(done)](Self& self, Result<CopyState> state) mutable {
                if (!state) {
                    // Such as a full disk: there is nothing to go on with.
                    const Error error = std::move(state).error();
                    self.drop_copy(std::string(self.copy_), [](const Result<void>&) {});
                    return done(reject(error));
                }
                if (state->is_whole || self.wiring_.clock.mono() >= until)
                    return done(Copy{self.copy_, *state});
                self.step_copy(until, std::move(done));
            });
    }

    void prune_slices(const Retention& before, Pruned so_far, Mono until, Done<Pruned> done) {
        run<Pruned>([before](Engine& engine) { return engine.prune(before); },
                    [before, so_far, until, done = std::move(done)](Self& self,
                                                                    Result<Pruned> slice) mutable {
                        if (!slice) {
                            // What failed may have taken the store with it: it is looked after.
                            self.wiring_.store.check();
                            return done(std::move(slice));
                        }
                        so_far.add(*slice);
                        if (!so_far.has_more || self.wiring_.clock.mono() >= until)
                            return done(so_far);
                        self.prune_slices(before, so_far, until, std::move(done));
                    });
    }

    void prune_by_setting() {
        prune(times_.before(wiring_.clock.wall()),
              [self = shared_from_this()](Result<Pruned> pruned) {
                  self->pruned_by_setting(std::move(pruned));
              });
    }

    // One that fails is tried again when the next is due.
    void pruned_by_setting(Result<Pruned> pruned) {
        if (pruned) gone_.add(*pruned);
        const bool has_more = pruned && pruned->has_more;
        if (!has_more) {
            const Pruned gone = std::exchange(gone_, {});
            if (wiring_.on_pruned && gone != Pruned()) wiring_.on_pruned(gone);
            if (wiring_.on_pruned && !pruned) wiring_.on_pruned(pruned);
        }
        later(has_more ? limits::kPruneRest : limits::kPruneEvery,
              [](Self& self) { self.prune_by_setting(); });
    }

    Wiring wiring_;
    KeepTimes times_;
    bool is_over_ = false;
    Pruned gone_;       // by the setting, since it was told last
    std::string copy_;  // which one there is; "" for none
    Mono copy_touched_ = {};
    bool is_copy_watched_ = false;
};

StoreKeeper::StoreKeeper(Wiring wiring, KeepTimes times)
    : self_(std::make_shared<Self>(std::move(wiring), times)) {}

StoreKeeper::~StoreKeeper() {
    self_->end();
}

const std::string& StoreKeeper::url() const {
    return self_->url();
}

void StoreKeeper::start() {
    self_->start();
}

void StoreKeeper::begin_copy(Done<Copy> done) {
    self_->begin_copy(std::move(done));
}

void StoreKeeper::look_at_copy(std::string_view id, Done<Copy> done) {
    self_->look_at_copy(id, std::move(done));
}

void StoreKeeper::read_copy(std::string_view id, std::uint64_t offset, Done<std::string> done) {
    self_->read_copy(id, offset, std::move(done));
}

void StoreKeeper::drop_copy(std::string_view id, Done<void> done) {
    self_->drop_copy(id, std::move(done));
}

void StoreKeeper::prune(const Retention& before, Done<Pruned> done) {
    self_->prune(before, std::move(done));
}

}  // namespace parley

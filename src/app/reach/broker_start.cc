// SPDX-License-Identifier: Apache-2.0
#include "app/reach/broker_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "app/limits.h"
#include "app/serve/state_folder.h"
#include "base/private_file.h"
#include "client/limits.h"
#include "net/loop.h"

namespace parley::app {

namespace {

// By its own name, which is what others see of the process; what was replaced on the disk meanwhile
// has no other than this.
std::string program() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    constexpr std::string_view kLink = "/proc/self/exe";
    return error || !std::filesystem::exists(path, error) ? std::string(kLink) : path.string();
}

// A session of its own, so that no terminal and no client takes it along when it goes.
Result<pid_t> spawn_detached(std::vector<std::string> arguments, const std::string& log) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_addchdir_np(&actions, "/");
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes,
                               static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK));
    pid_t pid = -1;
    const int failed =
        ::posix_spawn(&pid, program().c_str(), &actions, &attributes, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (failed != 0)
        return reject(ErrorCode::unavailable, "cannot start a broker: {}", std::strerror(failed));
    return pid;
}

class Starter : public std::enable_shared_from_this<Starter> {
public:
    Starter(const ReachOptions& options, AccessDone done)
        : options_(options), done_(std::move(done)) {}

    void start() {
        const auto state = options_.environment.state_folder();
        if (!state) {
            return done_(reject(ErrorCode::unavailable,
                                "there is no HOME to start a broker in; name one with --server"));
        }
        if (auto made = make_state_folder(*state); !made)
            return done_(reject(std::move(made).error()));
        log_ = (*state / "broker.log").string();
        if (auto kept = make_private(log_); !kept) return done_(reject(std::move(kept).error()));
        give_up_at_ = options_.loop.now() + limits::kBrokerStart;
        spawn({"parley", "serve", "--detached"});
    }

private:
    void spawn(std::vector<std::string> arguments) {
        auto pid = spawn_detached(std::move(arguments), log_);
        if (!pid) return done_(reject(std::move(pid).error()));
        pid_ = *pid;
        look_again();
    }

    void look_again() {
        options_.loop.post_at(options_.loop.now() + limits::kRetryDelayMin,
                              [self = shared_from_this()] { self->look(); });
    }

    void look() {
        open_server(options_, [self = shared_from_this()](
                                  Result<std::unique_ptr<BrokerAccess>> opened) mutable {
            if (opened) return self->done_(std::move(opened));
            self->not_yet(opened.error());
        });
    }

    void not_yet(const Error& error) {
        const bool has_ended = pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_;
        if (has_ended) {
            pid_ = 0;
            // Somebody else's program may have the usual port; the socket is what matters.
            if (!std::exchange(has_tried_any_port_, true))
                return spawn({"parley", "serve", "--detached", "--listen", "127.0.0.1:0"});
            // It may have lost to another that has not opened its socket yet.
            give_up_at_ = options_.loop.now() + limits::kBrokerStart / 4;
        }
        if (options_.loop.now() <= give_up_at_) return look_again();
        done_(reject(ErrorCode::unavailable, "{}; one that was started did not answer, see {}",
                     error.message, log_));
    }

    const ReachOptions options_;
    AccessDone done_;
    std::string log_;
    pid_t pid_ = 0;
    bool has_tried_any_port_ = false;
    Mono give_up_at_ = {};
};

}  // namespace

void open_server_or_start(const ReachOptions& options, AccessDone done) {
    open_server(options, [options, done = std::move(done)](
                             Result<std::unique_ptr<BrokerAccess>> opened) mutable {
        const bool is_away = !opened && opened.error().code == ErrorCode::unavailable;
        if (!is_away || options.global.server) return done(std::move(opened));
        std::make_shared<Starter>(options, std::move(done))->start();
    });
}

}  // namespace parley::app

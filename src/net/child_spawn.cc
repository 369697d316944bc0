// SPDX-License-Identifier: Apache-2.0
#include "net/child_spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace parley::net {

namespace {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    int get() const { return value_; }
    int release() { return std::exchange(value_, -1); }

private:
    int value_ = -1;
};

struct Actions {
    Actions() { ::posix_spawn_file_actions_init(&value); }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;
    ~Actions() { ::posix_spawn_file_actions_destroy(&value); }
    posix_spawn_file_actions_t value;
};

struct Attributes {
    Attributes() { ::posix_spawnattr_init(&value); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    ~Attributes() { ::posix_spawnattr_destroy(&value); }
    posix_spawnattr_t value;
};

// Its own group, no blocked signals, every handler at its default (ours ignores some).
void reset_signals(Attributes& attributes) {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes.value, &none);
    ::posix_spawnattr_setsigdefault(&attributes.value, &all);
    ::posix_spawnattr_setpgroup(&attributes.value, 0);
    ::posix_spawnattr_setflags(
        &attributes.value, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

enum class Direction { to_child, from_child };

// Connects `target` of the child as `how` says; gives our end of a pipe. The child's end goes to
// `theirs`, to be closed after the spawn.
Descriptor connect_stdio(Actions& actions, int target, Stdio how, Direction direction,
                         Descriptor& theirs) {
    if (how == Stdio::inherit) return Descriptor();
    if (how == Stdio::null) {
        ::posix_spawn_file_actions_addopen(&actions.value, target, "/dev/null", O_RDWR, 0);
        return Descriptor();
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Descriptor();
    const bool reads = direction == Direction::to_child;
    theirs = Descriptor(reads ? ends[0] : ends[1]);
    Descriptor ours(reads ? ends[1] : ends[0]);
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    ::posix_spawn_file_actions_adddup2(&actions.value, theirs.get(), target);
    return ours;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
}

}  // namespace

Result<Spawned> spawn_process(const ChildOptions& options) {
    ASSERT(!options.argv.empty());
    Actions actions;
    Attributes attributes;
    reset_signals(attributes);
    Descriptor their_input;
    Descriptor their_output;
    Descriptor their_errors;
    Descriptor input =
        connect_stdio(actions, STDIN_FILENO, options.input, Direction::to_child, their_input);
    Descriptor output =
        connect_stdio(actions, STDOUT_FILENO, options.output, Direction::from_child, their_output);
    Descriptor errors =
        connect_stdio(actions, STDERR_FILENO, options.errors, Direction::from_child, their_errors);
    ::posix_spawn_file_actions_addclosefrom_np(&actions.value, STDERR_FILENO + 1);
    if (!options.folder.empty()) {
        ::posix_spawn_file_actions_addchdir_np(&actions.value, options.folder.c_str());
    }
    const auto argv = pointers(options.argv);
    // The pointers are into the options, which outlive the call.
    const auto environment =
        options.environment ? pointers(*options.environment) : std::vector<char*>();
    pid_t pid = -1;
    const int error = ::posix_spawnp(&pid, argv[0], &actions.value, &attributes.value, argv.data(),
                                     options.environment ? environment.data() : ::environ);
    if (error != 0) {
        const bool folder_missing = error == ENOENT && !options.folder.empty() &&
                                    ::access(options.folder.c_str(), X_OK) != 0;
        return reject(ErrorCode::not_found, "cannot start {}: {}{}", options.argv[0],
                      folder_missing ? "folder " + options.folder + ": " : std::string(),
                      std::strerror(error));
    }
    Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (pidfd.get() < 0) {
        const int reason = errno;
        ::kill(-pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        return reject(ErrorCode::unavailable, "cannot watch {}: {}", options.argv[0],
                      std::strerror(reason));
    }
    return Spawned{.pid = pid,
                   .pidfd = pidfd.release(),
                   .input = input.release(),
                   .output = output.release(),
                   .errors = errors.release()};
}

}  // namespace parley::net

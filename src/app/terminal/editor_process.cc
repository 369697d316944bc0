// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/editor_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "app/command_line/read_file.h"
#include "app/limits.h"
#include "core/limits.h"
#include "text/utf8.h"

extern char** environ;

namespace parley::app {

namespace {

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

Result<EditorProcess> EditorProcess::prepare(const Environment& environment,
                                             std::string_view text) {
    std::string command = environment.find("VISUAL").value_or("");
    if (command.empty()) command = environment.find("EDITOR").value_or("vi");
    std::string name = environment.find("TMPDIR").value_or("/tmp") + "/parley-XXXXXX.md";
    const int fd = ::mkostemps(name.data(), 3, O_CLOEXEC);
    if (fd < 0)
        return reject(ErrorCode::unavailable, "cannot make a file for the editor: {}",
                      std::strerror(errno));
    const bool is_written = write_all(fd, text) && (text.empty() || write_all(fd, "\n"));
    ::close(fd);
    EditorProcess process(std::move(command), name);
    if (!is_written)
        return reject(ErrorCode::unavailable, "cannot write the file for the editor, {}", name);
    return process;
}

EditorProcess::~EditorProcess() {
    if (!file_.empty()) {
        std::error_code ignored;
        std::filesystem::remove(file_, ignored);
    }
}

void EditorProcess::start(const Terminal& terminal, Executor& home, Ended ended) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, terminal.in, 0);
    ::posix_spawn_file_actions_adddup2(&actions, terminal.out, 1);
    ::posix_spawn_file_actions_adddup2(&actions, terminal.out, 2);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGPIPE);
    ::sigaddset(&defaults, SIGXFSZ);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    // The variable may hold arguments; a shell takes it apart, and the file's name stays whole.
    const std::string line = command_ + " \"$1\"";
    const std::string file = file_.native();
    std::array<const char*, 6> words = {"sh", "-c", line.c_str(), "sh", file.c_str(), nullptr};
    pid_t pid = -1;
    const int failure = ::posix_spawn(&pid, "/bin/sh", &actions, &attributes,
                                      const_cast<char* const*>(words.data()), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    pid_ = failure == 0 ? pid : -1;
    thread_->post([pid = pid_, &home, ended = std::move(ended)]() mutable {
        int status = -1;
        while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        home.post([status, ended = std::move(ended)]() mutable { ended(status); });
    });
}

void EditorProcess::stop() {
    if (pid_ > 0) (void)::kill(pid_, SIGTERM);
}

Result<std::string> EditorProcess::result(int status) {
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return reject(ErrorCode::unavailable, "the editor failed; the text is as it was");
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file_, failure);
    if (!failure && bytes > limits::kAnswerTextBytes + 1) {
        const std::string kept = std::exchange(file_, {}).native();
        return reject(
            ErrorCode::too_large,
            "the text has {} bytes, and {} is the most; it was not taken, and stays in {}", bytes,
            limits::kAnswerTextBytes, kept);
    }
    TRY(text, read_file(file_, limits::kEditedFileBytes));
    if (text.ends_with('\n')) text.pop_back();
    if (!utf8::is_valid(text))
        return reject(ErrorCode::invalid, "the editor left no UTF-8 text; the text is as it was");
    return text;
}

}  // namespace parley::app

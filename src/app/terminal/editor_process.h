// SPDX-License-Identifier: Apache-2.0
// The person's own editor ($VISUAL, $EDITOR, else vi) on a text in a file of its own, which only
// they can read and which is removed afterwards. A thread waits for it, so that the loop goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/environment.h"
#include "base/executor.h"
#include "base/loop_thread.h"
#include "base/result.h"

namespace parley::app {

class EditorProcess {
public:
    struct Terminal {
        int in = 0;
        int out = 2;
    };
    using Ended = UniqueFunction<void(int status)>;

    // Writes the file.
    [[nodiscard]] static Result<EditorProcess> prepare(const Environment& environment,
                                                       std::string_view text);
    ~EditorProcess();
    EditorProcess(EditorProcess&&) noexcept = default;
    EditorProcess& operator=(EditorProcess&&) noexcept = default;

    // `ended` is called on `home`.
    void start(const Terminal& terminal, Executor& home, Ended ended);
    void stop();
    // What the person wrote; without the newline that editors put at the end. A text that is too
    // long stays in its file, and the error names it.
    [[nodiscard]] Result<std::string> result(int status);

private:
    EditorProcess(std::string command, std::filesystem::path file)
        : command_(std::move(command)),
          file_(std::move(file)),
          thread_(std::make_unique<LoopThread>()) {}

    std::string command_;
    std::filesystem::path file_;  // empty once moved from
    int pid_ = -1;
    std::unique_ptr<LoopThread> thread_;
};

}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
// How every command ends. Scripts rely on these numbers; they never change.
#pragma once

namespace parley::app {

enum class ExitCode : int {
    done = 0,         // of `ask`: answered
    failed = 1,       // the message is on stderr
    usage = 2,        // wrong arguments, or an invalid question
    dismissed = 3,    // `ask`: by the person
    timed_out = 4,    // `ask`
    withdrawn = 5,    // `ask`: taken back, or its session ended
    unreachable = 6,  // no broker
    waiting = 10,     // `status`: something does
    interrupted = 130,
};

}  // namespace parley::app

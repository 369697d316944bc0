// SPDX-License-Identifier: Apache-2.0
#include "app/serve/notify_options.h"

#include "text/time_text.h"

namespace parley::app {

std::vector<OptionSpec> NotifyOptions::specs() {
    return {{.names = "--notify-command",
             .value = "WORD",
             .help = "Run this program, with a JSON document on its standard input, for every ask "
                     "that opens, waits long or is settled; once more for each of its arguments. "
                     "Better in the configuration: command = [\"…\"] in [notify]",
             .target = &command_,
             .setting = "notify.command"},
            {.names = "--notify-after",
             .value = "TIME",
             .help = "Run it once more for an ask that has waited so long, e.g. 10m",
             .target = &after_,
             .setting = "notify.after"}};
}

Result<NotifySettings> NotifyOptions::read(const Environment& environment) const {
    NotifySettings settings{.command = command_, .environment = environment.list()};
    if (!command_.empty() && command_.front().empty())
        return reject(ErrorCode::invalid, "--notify-command: the program's name is empty");
    if (!after_) return settings;
    if (command_.empty())
        return reject(ErrorCode::invalid,
                      "--notify-after {}: there is no program to run; name one with "
                      "--notify-command, or command in [notify] of the configuration",
                      *after_);
    const auto after = parse_duration(*after_);
    if (!after)
        return reject(ErrorCode::invalid, "--notify-after {}: {}", *after_, after.error().message);
    settings.after = *after;
    return settings;
}

}  // namespace parley::app

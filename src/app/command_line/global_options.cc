// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/global_options.h"

namespace parley::app {

CommandSpec GlobalArguments::spec() {
    return {.about = {},
            .options = {
                {.names = "--server",
                 .value = "URL",
                 .help = "The broker: http(s)://HOST:PORT or unix:PATH. Default: the socket of the "
                         "broker that this user runs. Also PARLEY_SERVER.",
                 .target = &options.server,
                 .setting = "server"},
                {.names = "--token",
                 .value = "TOKEN",
                 .help = "What the broker knows you by; its socket needs none. Also PARLEY_TOKEN.",
                 .target = &options.token,
                 .setting = "token"},
                {.names = "--ca",
                 .value = "FILE",
                 .help = "The authority that signed the certificate of an https broker (PEM); "
                         "default: those of the system. Also PARLEY_CA.",
                 .target = &options.ca,
                 .setting = "ca",
                 .completion = Completion::file},
                {.names = "-h,--help", .help = "This help.", .target = &wants_help},
                {.names = "--version", .help = "The version.", .target = &wants_version},
            }};
}

}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
// What `parley ask` was told, and the request that it makes of it. Faults are told in the words of
// the command line, or by their place in the file that was given. Reads the files that the
// arguments name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/requests.h"
#include "core/profile.h"

namespace parley::app {

struct AskArguments {
    std::optional<std::string> question = {};
    std::vector<std::string> options = {};  // "LABEL" or "LABEL::description"
    std::optional<std::string> header = {};
    bool is_multi = false;
    bool no_other = false;
    std::vector<std::string> marked = {};  // --default
    std::optional<std::string> min = {};
    std::optional<std::string> max = {};
    bool is_required = false;
    bool is_optional = false;
    std::optional<std::string> context_file = {};
    std::optional<std::string> session = {};
    std::optional<std::string> key = {};
    std::optional<std::string> timeout = {};
    std::vector<std::string> on_timeout = {};  // "deny", or "default=TEXT" once or more
    std::optional<std::string> file = {};      // "-" is stdin
    bool no_dismiss = false;
    bool strict_header = false;
};

Profile ask_profile(const AskArguments& arguments);

// A checked request. An Error of code `invalid` has a message for people, one fault a line.
[[nodiscard]] Result<AskRequest> make_ask_request(const AskArguments& arguments);

// "LABEL::description" at its first "::"; "\::" stands for those two characters in a label.
Option split_option(std::string_view text);

}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
// Whom tokens act for. A principal is the sum of its tokens: they share its id and its name, and it
// is gone with the last of them. Pure functions over the broker's tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "door/access.h"

namespace parley {

// A principal as a new token gets it.
struct Person {
    std::string principal;
    std::string name;  // empty: to be asked for
};

// An id that nobody ever had.
std::string new_principal(std::string_view prefix = kPrincipalPrefix);

// The principal of that name, or the owner of the local socket, whose name is the login name;
// nullopt if there is none.
std::optional<Person> find_person(const Access::Tokens& tokens, std::string_view name);
bool has_tokens(const Access::Tokens& tokens, std::string_view principal);
bool is_agent(const Access::Tokens& tokens, std::string_view principal);

// The name as it is kept. Refused: what is no name, what stands for somebody else, and, as
// `conflict`, what a principal other than `principal` has, also if it differs only in how it is
// written.
[[nodiscard]] Result<std::string> check_name(const Access::Tokens& tokens, std::string_view name,
                                             std::string_view principal);

// {principal, name, role, sign_in?, needs_name?}. `named`: the name was given just now.
enum class Named : std::uint8_t { as_known, yes };
std::string self_document(const Caller& caller, Named named = Named::as_known);

// A browser in a few words, from its User-Agent: "Chromium on Linux".
std::string device_words(std::string_view user_agent);

}  // namespace parley

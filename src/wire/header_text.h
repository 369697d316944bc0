// SPDX-License-Identifier: Apache-2.0
// Reading header values: lists, media types, Accept, cookies, Basic and Bearer credentials. Pure
// functions; what cannot be read gives nothing rather than a guess.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::wire {

std::string_view trim(std::string_view text);  // spaces and tabs

// Whether a comma-separated list has an element, ignoring case. Commas inside quotes do not
// separate.
bool list_contains(std::string_view value, std::string_view token);

// "Application/JSON; charset=utf-8" is of type "application/json". A value that repeats itself
// ("application/json, application/json", which some clients send) counts as the first.
bool is_media_type(std::string_view content_type, std::string_view type);

// How much an Accept value wants `type`: 0 (refused or not named) to 1000; an empty Accept wants
// everything. The most specific range that matches decides.
int accept_quality(std::string_view accept, std::string_view type);

std::optional<std::string_view> find_cookie(std::string_view cookie_header, std::string_view name);

// The token of "Bearer TOKEN", scheme in any case.
std::optional<std::string_view> bearer_token(std::string_view authorization);

struct BasicCredentials {
    std::string user;
    std::string password;
};
std::optional<BasicCredentials> basic_credentials(std::string_view authorization);

std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);  // strict, with padding
// The same for addresses and headers: without padding, "-" and "_" for "+" and "/".
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace parley::wire

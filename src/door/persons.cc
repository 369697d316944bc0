// SPDX-License-Identifier: Apache-2.0
#include "door/persons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/faults.h"
#include "core/limits.h"
#include "core/text_rules.h"
#include "door/sign_in_names.h"
#include "net/login.h"
#include "net/secret.h"
#include "text/json_object.h"
#include "text/name_fold.h"

namespace parley {

namespace {

constexpr std::size_t kPrincipalDigits = 20;

// Who runs the broker owns its socket, and is asked for once: the system's answer may take a while.
const Person& socket_owner() {
    static const Person kOwner = {.principal = fmt::format("uid:{}", net::own_uid()),
                                  .name = net::login_name(net::own_uid())};
    return kOwner;
}

Rejection refused(ErrorCode code, std::string message) {
    Error error{code, std::move(message)};
    error.faults.push_back({"/name", error.message});
    return reject(std::move(error));
}

struct Word {
    std::string_view mark;
    std::string_view word;
};

std::string_view first_of(std::string_view text, std::span<const Word> words,
                          std::string_view otherwise) {
    const auto found = std::ranges::find_if(
        words, [&](const Word& one) { return text.find(one.mark) != std::string_view::npos; });
    return found == words.end() ? otherwise : found->word;
}

}  // namespace

std::string new_principal(std::string_view prefix) {
    return fmt::format("{}{}", prefix,
                       net::sha256_hex(net::random_secret()).substr(0, kPrincipalDigits));
}

std::optional<Person> find_person(const Access::Tokens& tokens, std::string_view name) {
    const std::string wanted = fold_name(name);
    for (const auto& [token_name, token] : tokens) {
        if (fold_name(shown_name(*token)) == wanted)
            return Person{.principal = token->principal, .name = token->person};
    }
    if (fold_name(socket_owner().name) == wanted) return socket_owner();
    return std::nullopt;
}

bool has_tokens(const Access::Tokens& tokens, std::string_view principal) {
    return std::ranges::any_of(
        tokens, [&](const auto& entry) { return entry.second->principal == principal; });
}

bool is_agent(const Access::Tokens& tokens, std::string_view principal) {
    return std::ranges::any_of(tokens, [&](const auto& entry) {
        return entry.second->principal == principal && entry.second->role == Role::agent;
    });
}

Result<std::string> check_name(const Access::Tokens& tokens, std::string_view name,
                               std::string_view principal) {
    std::string kept(trim_blanks(name));
    Faults faults;
    const json::Path root;
    check_text(kept, name_rule("the name"), root / "name", faults);
    if (!faults.empty()) return std::move(faults).reject();
    // An invitation is found by it, and one letter of a name may be eighteen as names are compared.
    if (const std::size_t bytes = fold_name(kept).size(); bytes > limits::kNameBytes)
        return refused(ErrorCode::invalid,
                       fmt::format("the name has {} bytes as names are compared, but at most {} "
                                   "are allowed; shorten it",
                                   bytes, limits::kNameBytes));
    if (is_reserved_name(kept))
        return refused(ErrorCode::invalid, "this name is not free to choose; take another");
    const auto known = find_person(tokens, kept);
    if (known && known->principal != principal)
        return refused(ErrorCode::conflict,
                       fmt::format("{} is somebody else here; take another name", known->name));
    return kept;
}

std::string self_document(const Caller& caller, Named named) {
    const bool is_signed_in = caller.token && is_sign_in(caller.token->name);
    const bool needs_name =
        caller.token && caller.token->person.empty() && named == Named::as_known;
    return json::object_text([&](json::Writer& out) {
        out.field("principal", caller.principal)
            .field("name", caller.name)
            .field("role", to_string(caller.role));
        if (is_signed_in) out.field("sign_in", caller.token->name);
        if (needs_name) out.field_bool("needs_name", true);
    });
}

std::string device_words(std::string_view user_agent) {
    static constexpr std::array kBrowsers = {Word{"Edg", "Edge"},
                                             Word{"OPR/", "Opera"},
                                             Word{"SamsungBrowser", "Samsung"},
                                             Word{"Firefox/", "Firefox"},
                                             Word{"FxiOS", "Firefox"},
                                             Word{"CriOS", "Chrome"},
                                             Word{"Chromium", "Chromium"},
                                             Word{"HeadlessChrome", "Chromium"},
                                             Word{"Chrome/", "Chrome"},
                                             Word{"Safari/", "Safari"},
                                             Word{"curl/", "curl"}};
    static constexpr std::array kSystems = {Word{"iPhone", "iPhone"},   Word{"iPad", "iPad"},
                                            Word{"Android", "Android"}, Word{"CrOS", "ChromeOS"},
                                            Word{"Windows", "Windows"}, Word{"Mac OS X", "Mac"},
                                            Word{"Linux", "Linux"}};
    const std::string_view browser = first_of(user_agent, kBrowsers, "A browser");
    const std::string_view system = first_of(user_agent, kSystems, "");
    return system.empty() ? std::string(browser) : fmt::format("{} on {}", browser, system);
}

}  // namespace parley

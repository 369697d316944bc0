// SPDX-License-Identifier: Apache-2.0
#include "door/sign_in_names.h"

#include <fmt/format.h>

namespace parley {

namespace {

constexpr std::size_t kParentHashLength = 8;

}  // namespace

std::string sign_in_name(std::string_view id, const Token* parent) {
    if (parent == nullptr) return fmt::format("{}{}", kSignInPrefix, id);
    return fmt::format("{}{}:{}@{}", kSignInPrefix, id, parent->hash.substr(0, kParentHashLength),
                       parent->name);
}

bool is_sign_in(std::string_view token_name) {
    return token_name.starts_with(kSignInPrefix);
}

bool is_sign_in_of(std::string_view token_name, const Token* parent) {
    if (!is_sign_in(token_name)) return false;
    return parent_of(token_name).name == (parent == nullptr ? std::string_view() : parent->name);
}

SignInParent parent_of(std::string_view sign_in) {
    const auto at = sign_in.find('@');
    if (at == std::string_view::npos || at < kParentHashLength) return {};
    return {sign_in.substr(at - kParentHashLength, kParentHashLength), sign_in.substr(at + 1)};
}

}  // namespace parley

// SPDX-License-Identifier: Apache-2.0
#include "app/reach/child_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/limits.h"
#include "base/ids.h"
#include "client/remote_link.h"

namespace parley::app {

void ChildAccess::open(const RunContext& context, BrokerAccess& access, const Child& child,
                       Done<ChildAccess> done) {
    ChildAccess made;
    made.server_ = access.address();
    made.secret_ = context.global.token.value_or("");
    std::error_code error;
    if (context.global.ca)
        made.authority_ = std::filesystem::absolute(*context.global.ca, error).string();
    RandomBits random = system_random();
    native::TokenBody body{.name = fmt::format("{}-{:08x}", child.agent, random() & 0xffffffffU),
                           .role = Role::agent,
                           .life = limits::kRunTokenLife,
                           .session = std::string(child.session)};
    access.remote()->make_token(std::move(body), [made = std::move(made), done = std::move(done)](
                                                     Result<native::MadeToken> token) mutable {
        if (!token && token.error().code != ErrorCode::denied)
            return done(reject(std::move(token).error()));
        if (token) {
            made.secret_ = std::move(token->secret);
            made.token_ = std::move(token->token.name);
        }
        done(std::move(made));
    });
}

std::vector<std::string> ChildAccess::variables(const Environment& environment,
                                                std::string_view session) const {
    constexpr std::array<std::string_view, 4> kOurs = {
        "PARLEY_SERVER=", "PARLEY_TOKEN=", "PARLEY_SESSION=", "PARLEY_CA="};
    std::vector<std::string> all = environment.list();
    std::erase_if(all, [&](const std::string& variable) {
        return std::ranges::any_of(
            kOurs, [&](std::string_view name) { return variable.starts_with(name); });
    });
    all.push_back(fmt::format("PARLEY_SERVER={}", server_));
    all.push_back(fmt::format("PARLEY_SESSION={}", session));
    if (!authority_.empty()) all.push_back(fmt::format("PARLEY_CA={}", authority_));
    if (!secret_.empty()) all.push_back(fmt::format("PARLEY_TOKEN={}", secret_));
    return all;
}

void ChildAccess::close(BrokerAccess& access, Task done) {
    if (!token_) return done();
    access.remote()->drop_token(*std::exchange(token_, std::nullopt),
                                [done = std::move(done)](const Result<void>&) mutable { done(); });
}

}  // namespace parley::app

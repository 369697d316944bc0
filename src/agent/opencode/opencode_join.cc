// SPDX-License-Identifier: Apache-2.0
#include "agent/opencode/opencode_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/limits.h"
#include "core/text_rules.h"
#include "dialect/limits.h"
#include "wire/url.h"

namespace parley {

namespace {

// A name that no id of ours can be.
std::string session_name(const opencode::SessionFacts& session) {
    return fmt::format("opencode-{}", one_line(session.id, limits::kOpencodeIdChars));
}

// What one server asks is nothing to who has joined another.
std::string key_prefix(const wire::Url& server) {
    return fmt::format("opencode@{}", one_line(server.host_field(), limits::kOpencodeIdChars));
}

std::string session_title(const opencode::SessionFacts& session) {
    const std::string title = one_line(session.title, limits::kOpencodeTitleChars);
    return title.empty() ? std::string(opencode::kCalled)
                         : fmt::format("{}: {}", opencode::kCalled, title);
}

}  // namespace

OpencodeJoin::OpencodeJoin(net::Loop& loop, Link& link, Options options, Tell tell, Refused refused)
    : loop_(loop),
      link_(link),
      options_(std::move(options)),
      tell_(std::move(tell)),
      refused_(std::move(refused)),
      asks_(loop, link,
            {.key_prefix = key_prefix(options_.server.url), .timeout = options_.timeout}, *this) {}

OpencodeJoin::~OpencodeJoin() = default;

void OpencodeJoin::start() {
    asks_.adopt([this] {
        OpencodeServer::Listener& listener = *this;
        auto server = OpencodeServer::create(loop_, options_.server, listener);
        if (!server) return on_refused(server.error());
        server_ = std::move(*server);
        asks_.use(server_.get());
        server_->start();
    });
}

void OpencodeJoin::stop(Task done) {
    asks_.use(nullptr);
    asks_.withdraw_all("the bridge to OpenCode was stopped; it waits on in OpenCode itself",
                       std::move(done));
}

void OpencodeJoin::on_connected(const std::string& version) {
    is_told_ = false;
    tell_(fmt::format("joined OpenCode {} at {}", version, server_->address()));
    server_->read(fmt::format("/experimental/session?limit={}", limits::kOpencodeSessionsRead), {},
                  [this](const Result<json::Value>& list) { found_sessions(list); });
}

// Looking into a folder makes OpenCode open it, so that only the latest are.
void OpencodeJoin::found_sessions(const Result<json::Value>& list) {
    std::vector<std::string> folders = {""};  // the server's own
    if (list)
        for (const auto& session : opencode::read_session_list(*list)) {
            asks_.remember(session);
            if (session.directory.empty() || folders.size() > limits::kOpencodeDirectoriesMax)
                continue;
            if (std::ranges::find(folders, session.directory) == folders.end())
                folders.push_back(session.directory);
        }
    asks_.catch_up(std::move(folders));
}

void OpencodeJoin::on_lost(const Error& why) {
    asks_.lost();
    if (!std::exchange(is_told_, true))
        tell_(fmt::format("OpenCode at {} is away ({}); trying again", server_->address(),
                          why.message));
}

void OpencodeJoin::on_refused(const Error& why) {
    if (refused_) std::exchange(refused_, nullptr)(why);
}

std::optional<SessionRequest> OpencodeJoin::place_of(const opencode::SessionFacts& root) {
    // Of one that is driven from here, whoever drives it asks.
    if (!root.driver.empty()) return std::nullopt;
    SessionRequest request{.name = session_name(root),
                           .title = session_title(root),
                           .agent = std::string(opencode::kAgent)};
    if (!root.directory.empty()) request.directory = root.directory;
    return request;
}

// OpenCode keeps it until its turn comes to it.
void OpencodeJoin::say(const opencode::SessionFacts& root, std::string words) {
    tell(session_name(root),
         {.text = fmt::format("{} is told with a message: {}", opencode::kCalled, words)});
    server_->post(fmt::format("/session/{}/prompt_async", wire::percent_encode(root.id)),
                  root.directory, opencode::prompt_body({words}, {.agent = root.agent}),
                  OpencodeServer::reading([this](const Result<json::Value>& taken) {
                      if (!taken)
                          tell_(fmt::format("OpenCode did not take the words beside a decision: {}",
                                            taken.error().message));
                  }));
}

void OpencodeJoin::tell(const std::string& session, NoticeGiven notice) {
    link_.give_notice(session, std::move(notice), [](const Result<void>&) {});
}

}  // namespace parley

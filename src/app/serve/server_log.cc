// SPDX-License-Identifier: Apache-2.0
#include "app/serve/server_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "app/limits.h"
#include "base/sizes.h"

namespace parley::app {

namespace {

struct TroubleWords {
    std::string_view event;
    std::string_view fix;
};

TroubleWords words(net::Trouble::Kind kind) {
    switch (kind) {
        case net::Trouble::Kind::accept_failed:
            return {"accept-failed", "look at the limit of open files (ulimit -n, LimitNOFILE)"};
        case net::Trouble::Kind::too_many_connections:
            return {"too-many-connections", "look who holds them; those that come now are closed"};
        case net::Trouble::Kind::tls_failed:
            return {"tls-failed", "nothing, unless it is your own client: scanners do this"};
        case net::Trouble::Kind::handler_failed:
            return {"handler-failed", "a fault of Parley: report it with this line"};
        case net::Trouble::Kind::stream_too_slow:
            return {"stream-too-slow", "nothing: the client comes back and gets what it missed"};
        case net::Trouble::Kind::short_of_memory:
            return {"short-of-memory", "give it more, or look who holds so many connections"};
    }
    return {"trouble", "report it with this line"};
}

// An address of a database may hold one: NAME:SECRET@HOST.
std::string without_password(std::string url) {
    const auto at = url.find('@');
    const auto scheme = url.find("://");
    if (at == std::string::npos || scheme == std::string::npos) return url;
    const auto colon = url.find(':', scheme + 3);
    if (colon < at) url.replace(colon, at - colon, ":…");
    return url;
}

}  // namespace

void ServerLog::started(const Place& place, std::string_view version) {
    log_.info("started", {{"version", std::string(version)},
                          {"url", place.url},
                          {"socket", place.socket},
                          {"store", without_password(place.store)},
                          {"pid", std::to_string(::getpid())}});
}

void ServerLog::not_started(std::string_view why) {
    log_.error("not-started", {{"detail", std::string(why)}});
}

void ServerLog::stopping() {
    log_.info("stopping");
}

void ServerLog::stopped() {
    log_.info("stopped");
}

void ServerLog::store(LoopBroker::StoreNews news, const std::string& detail) {
    switch (news) {
        case LoopBroker::StoreNews::lost:
            return log_.error("store-failed",
                              {{"detail", detail},
                               {"now", "asks and answers are refused (503) until it is back"}});
        case LoopBroker::StoreNews::back: return log_.info("store-back");
        case LoopBroker::StoreNews::damaged: break;
    }
    // Whoever reads it again meets the same row.
    if (std::ranges::find(damaged_, detail) != damaged_.end()) return;
    if (damaged_.size() >= limits::kDamageRemembered) damaged_.erase(damaged_.begin());
    damaged_.push_back(detail);
    log_.error("store-damaged", {{"detail", detail}});
}

void ServerLog::pruned(const Result<Pruned>& pruned) {
    if (!pruned) return log_.warning("prune-failed", {{"detail", pruned.error().message}});
    log_.info("pruned", {{"asks", std::to_string(pruned->asks)},
                         {"sessions", std::to_string(pruned->sessions)},
                         {"messages", std::to_string(pruned->messages)},
                         {"events", std::to_string(pruned->events)}});
}

void ServerLog::access(const AccessNews& news) {
    const LogField address{"address", news.address};
    const LogField by{"by", news.by};
    const LogField role{"role", std::string(news.role ? to_string(*news.role) : "-")};
    switch (news.kind) {
        case AccessNews::Kind::wrong_token: return log_.warning("wrong-token", {address});
        case AccessNews::Kind::locked_out:
            return log_.warning(
                "locked-out",
                {address, {"now", "its wrong tokens are refused unseen (429) for a minute"}});
        case AccessNews::Kind::signed_in:
            return log_.info("signed-in", {{"person", news.subject}, role, address});
        case AccessNews::Kind::signed_out:
            return log_.info("signed-out", {{"person", news.subject}, address});
        case AccessNews::Kind::token_created:
            return log_.info("token-created", {{"token", news.subject}, role, by, address});
        case AccessNews::Kind::token_rotated:
            return log_.info("token-rotated", {{"token", news.subject}, role, by, address});
        case AccessNews::Kind::token_revoked:
            return log_.info("token-revoked", {{"token", news.subject}, by, address});
    }
}

void ServerLog::trouble(const net::Trouble& trouble) {
    const TroubleWords said = words(trouble.kind);
    const LogField detail{"detail", std::string(trouble.detail)};
    const LogField fix{"fix", std::string(said.fix)};
    if (trouble.kind == net::Trouble::Kind::handler_failed) {
        log_.error(said.event, {detail, fix});
    } else {
        log_.warning(said.event, {detail, fix});
    }
}

void ServerLog::memory(bool is_short, std::size_t bytes, std::size_t bytes_max) {
    const LogField in_use{"in_use", fmt::format("{} MiB", bytes / limits::kMiB)};
    const LogField bound{"memory_max", fmt::format("{} MiB", bytes_max / limits::kMiB)};
    if (!is_short) return log_.info("memory-back", {in_use, bound});
    log_.warning(
        "memory-short",
        {in_use, bound, LogField{"now", "new asks, messages and sessions are refused (503)"},
         LogField{"fix", "settle asks, end sessions, or raise --memory-max"}});
}

void ServerLog::request(const net::AccessRecord& record) {
    // Paths without a route are what a scanner sends; they are counted, not written out.
    if (!log_.wants(LogLevel::debug)) return;
    const auto* caller = static_cast<const Caller*>(record.principal);
    log_.debug(
        "request",
        {{"id", std::string(record.request_id)},
         {"method", std::string(wire::to_string(record.method))},
         {"route", std::string(record.pattern)},
         {"status", std::to_string(record.status)},
         {"bytes", std::to_string(record.response_bytes)},
         {"ms", fmt::format("{:.3f}",
                            std::chrono::duration<double, std::milli>(record.duration).count())},
         {"caller", caller == nullptr ? std::string("-") : caller->name}});
}

void ServerLog::mended(const std::string& path) {
    log_.warning("file-was-open",
                 {{"file", path},
                  {"now", "only its owner can read and write it (0600)"},
                  {"fix",
                   "see who could read it; a token that others may know is replaced by "
                   "removing its file and starting again"}});
}

void ServerLog::certificate(const Result<void>& reloaded) {
    if (reloaded) {
        log_.info("certificate-reloaded");
    } else {
        log_.error("certificate-not-reloaded", {{"detail", reloaded.error().message}});
    }
}

void ServerLog::joined(bool is_trouble, std::string_view says) {
    if (is_trouble) return log_.warning("codex-trouble", {{"detail", std::string(says)}});
    log_.info("codex", {{"says", std::string(says)}});
}

void ServerLog::notify_failed(std::string_view event, const std::string& ask,
                              const std::string& why) {
    log_.warning("notify-failed", {{"about", std::string(event)}, {"ask", ask}, {"detail", why}});
}

void ServerLog::notify_dropped(std::size_t count) {
    log_.warning("notify-dropped", {{"count", std::to_string(count)}});
}

void ServerLog::nodes(std::string_view says) {
    log_.warning("nodes", {{"says", std::string(says)}});
}

void ServerLog::demo(std::string_view says) {
    log_.info("demo", {{"says", std::string(says)}});
}

void ServerLog::demo_failed(std::string_view why) {
    log_.warning("demo-failed", {{"detail", std::string(why)}});
}

void ServerLog::llm_failed(std::string_view why) {
    log_.warning("llm-failed", {{"detail", std::string(why)}});
}

}  // namespace parley::app

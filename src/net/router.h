// SPDX-License-Identifier: Apache-2.0
// Which handler serves a request: method and path pattern, the gate before it, the record after it.
// Built once by the doors, then only read by the server, on the loop's thread. Knows no protocol
// beyond HTTP.
//
// Patterns: "/v1/asks/{id}/answer" (one segment each), "/trpc/{path*}" (the rest, one segment or
// more). Literal segments win over parameters. A trailing slash makes no difference. Segments are
// matched after decoding, so "%2F" never separates; "." and ".." segments are refused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "net/exchange.h"
#include "net/usual_bounds.h"

namespace parley::net {

// The cheap kind answers before it returns, or keeps the Exchange and answers from a callback.
using PlainHandler = UniqueFunction<void(Exchange)>;
using CoHandler = UniqueFunction<Co<void>(Exchange)>;
using Handler = std::variant<PlainHandler, CoHandler>;

struct RouteOptions {
    // What the gate gets to see; net gives it no meaning.
    int access = 0;
    std::size_t body_bytes_max = usual::body_bytes();
    // If not empty, a body must be of one of these types (literals), else 415. A body without a
    // Content-Type is let through when `untyped_body` says so.
    std::vector<std::string_view> content_types = {};
    enum class Untyped : std::uint8_t { allowed, refused } untyped_body = Untyped::refused;
};

// A request at the gate: its head is read, its body is not.
struct Visit {
    const wire::Request& request;
    const Peer& peer;
    std::string_view path;     // as sent
    std::string_view query;    // as sent
    std::string_view host;     // the authority of the target, or the Host field
    std::string_view pattern;  // of the route; "" if none matched
    int access = 0;            // of the route
    // For the gate to fill: lines for the answer, and who this is.
    wire::HeaderBlock& headers;
    std::shared_ptr<const void>& principal;
    bool is_second_look = false;  // after Later: it is decided now
};

struct Admit {};
// What the gate knows may be behind: it is asked once more when `first` has called back, or at once
// where the request cannot wait for that.
struct Later {
    std::function<void(Task)> first;
};
using Admission = std::variant<Admit, Refusal, Response, Later>;
using Gate = UniqueFunction<Admission(Visit&)>;

// OPTIONS on a path that has no such route of its own; `allow` is its Allow value. After the gate.
using OptionsHook = UniqueFunction<Response(const Visit&, std::string_view allow)>;

// The body of every refusal: unknown path, wrong method, too large, not admitted… `request` is null
// when the head could not be read.
using Shape = UniqueFunction<Response(const Refusal&, const wire::Request* request)>;

struct AccessRecord {
    wire::Method method = wire::Method::get;
    std::string_view pattern;  // "" when no route matched
    std::string_view path;     // as sent; the query is left out, since it may carry a token
    int status = 0;
    std::uint64_t request_bytes = 0;   // of the body
    std::uint64_t response_bytes = 0;  // all that was queued for it
    std::chrono::nanoseconds duration{};
    std::string_view request_id;
    const Peer* peer = nullptr;
    const void* principal = nullptr;
};
using AfterHook = UniqueFunction<void(const AccessRecord&)>;

class Router {
public:
    Router();
    ~Router();

    // A pattern registered twice for one method is our bug. GET serves HEAD too.
    void add(wire::Method method, std::string_view pattern, Handler handler,
             RouteOptions options = {});
    template <class F>
    void get(std::string_view pattern, F handler, RouteOptions options = {}) {
        add(wire::Method::get, pattern, make(std::move(handler)), std::move(options));
    }
    template <class F>
    void post(std::string_view pattern, F handler, RouteOptions options = {}) {
        add(wire::Method::post, pattern, make(std::move(handler)), std::move(options));
    }
    template <class F>
    void put(std::string_view pattern, F handler, RouteOptions options = {}) {
        add(wire::Method::put, pattern, make(std::move(handler)), std::move(options));
    }
    template <class F>
    void patch(std::string_view pattern, F handler, RouteOptions options = {}) {
        add(wire::Method::patch, pattern, make(std::move(handler)), std::move(options));
    }
    template <class F>
    void del(std::string_view pattern, F handler, RouteOptions options = {}) {
        add(wire::Method::del, pattern, make(std::move(handler)), std::move(options));
    }

    void set_gate(Gate gate) { gate_ = std::move(gate); }
    void set_options_hook(OptionsHook hook) { options_hook_ = std::move(hook); }
    void set_after_hook(AfterHook hook) { after_hook_ = std::move(hook); }
    // For all paths at or below `prefix` ("" for all); the longest prefix wins.
    void set_shape(std::string_view prefix, Shape shape);

    struct RouteInfo {
        wire::Method method;
        std::string pattern;
        int access;
    };
    // All routes, in the order added: for documents that must agree with them.
    std::vector<RouteInfo> routes() const;

    // The rest is for the server.

    struct Route {
        wire::Method method;
        std::string pattern;
        Handler handler;
        RouteOptions options;
        std::vector<std::string> names;  // of its parameters
    };
    struct Match {
        Route* route = nullptr;           // null: see `allow`
        std::vector<std::string> values;  // decoded, in the order of Route::names
        std::string allow;  // methods of the path, when only the method was wrong; "" = 404
    };
    // Nothing when the path itself is malformed.
    std::optional<Match> find(wire::Method method, std::string_view path);

    Admission ask_gate(Visit& visit);
    Response answer_options(const Visit& visit, std::string_view allow);
    Response shape(const Refusal& refusal, const wire::Request* request);
    bool wants_records() const { return static_cast<bool>(after_hook_); }
    void record(const AccessRecord& record);

private:
    struct Node;

    template <class F>
    static Handler make(F handler) {
        if constexpr (std::is_void_v<std::invoke_result_t<F&, Exchange>>) {
            return PlainHandler(std::move(handler));
        } else {
            return CoHandler(std::move(handler));
        }
    }

    std::unique_ptr<Node> root_;
    std::vector<std::unique_ptr<Route>> routes_;
    std::vector<std::pair<std::string, Shape>> shapes_;  // longest prefix first
    Gate gate_;
    OptionsHook options_hook_;
    AfterHook after_hook_;
};

}  // namespace parley::net

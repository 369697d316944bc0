// SPDX-License-Identifier: Apache-2.0
#include "net/router.h"

#include <algorithm>
#include <array>
#include <forward_list>
#include <utility>

#include "base/assert.h"

namespace parley::net {

namespace {

constexpr std::size_t kMethods = 8;
constexpr std::size_t kSegmentsUsual = 8;

std::size_t index_of(wire::Method method) {
    return static_cast<std::size_t>(method);
}

// The next segment of a path, and `path` behind it. A trailing slash gives no segment.
std::optional<std::string_view> take_segment(std::string_view& path) {
    while (path.starts_with('/')) path.remove_prefix(1);
    if (path.empty()) return std::nullopt;
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    return segment;
}

// Most segments are what they seem to be; the decoder refuses a NUL.
bool needs_decoding(std::string_view segment) {
    return segment.find('%') != segment.npos || segment.find('\0') != segment.npos;
}

Response default_shape(const Refusal& refusal, const wire::Request*) {
    return {.status = refusal.status,
            .content_type = kPlainText,
            .headers = refusal.headers,
            .body = Body(refusal.detail + "\n")};
}

}  // namespace

struct Router::Node {
    std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;
    std::unique_ptr<Node> parameter;
    std::array<Route*, kMethods> routes = {};
    std::array<Route*, kMethods> tails = {};  // of "{name*}"

    Node* literal(std::string_view segment) {
        for (const auto& [name, node] : literals) {
            if (name == segment) return node.get();
        }
        return nullptr;
    }
};

namespace {

using Routes = std::array<Router::Route*, kMethods>;

Router::Route* choose(const Routes& routes, wire::Method method) {
    if (Router::Route* route = routes[index_of(method)]) return route;
    if (method == wire::Method::head) return routes[index_of(wire::Method::get)];
    return nullptr;
}

bool any(const Routes& routes) {
    return std::any_of(routes.begin(), routes.end(), [](const auto* route) { return route; });
}

std::string allow_value(const Routes& routes) {
    std::string allow;
    for (std::size_t i = 0; i < kMethods; ++i) {
        if (routes[i] == nullptr) continue;
        const auto method = static_cast<wire::Method>(i);
        allow.append(wire::to_string(method)).append(", ");
        if (method == wire::Method::get) allow.append("HEAD, ");
    }
    return allow.append("OPTIONS");
}

}  // namespace

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;

void Router::add(wire::Method method, std::string_view pattern, Handler handler,
                 RouteOptions options) {
    ASSERT(pattern.starts_with('/') && method != wire::Method::other);
    auto route = std::make_unique<Route>(Route{.method = method,
                                               .pattern = std::string(pattern),
                                               .handler = std::move(handler),
                                               .options = std::move(options),
                                               .names = {}});
    Node* node = root_.get();
    auto* slots = &node->routes;
    std::string_view rest = pattern;
    while (const auto segment = take_segment(rest)) {
        if (segment->starts_with('{') && segment->ends_with("*}")) {
            ASSERT(rest.empty());
            route->names.emplace_back(segment->substr(1, segment->size() - 3));
            slots = &node->tails;
            break;
        }
        if (segment->starts_with('{')) {
            route->names.emplace_back(segment->substr(1, segment->size() - 2));
            if (!node->parameter) node->parameter = std::make_unique<Node>();
            node = node->parameter.get();
        } else {
            Node* next = node->literal(*segment);
            if (next == nullptr) {
                node->literals.emplace_back(*segment, std::make_unique<Node>());
                next = node->literals.back().second.get();
            }
            node = next;
        }
        slots = &node->routes;
    }
    ASSERT((*slots)[index_of(method)] == nullptr);
    (*slots)[index_of(method)] = route.get();
    routes_.push_back(std::move(route));
}

void Router::set_shape(std::string_view prefix, Shape shape) {
    const auto shorter = std::find_if(shapes_.begin(), shapes_.end(), [&](const auto& entry) {
        return entry.first.size() < prefix.size();
    });
    shapes_.emplace(shorter, std::string(prefix), std::move(shape));
}

std::vector<Router::RouteInfo> Router::routes() const {
    std::vector<RouteInfo> all;
    all.reserve(routes_.size());
    for (const auto& route : routes_) {
        all.push_back({route->method, route->pattern, route->options.access});
    }
    return all;
}

// A literal wins over a parameter, a parameter over a tail; where the better one leads nowhere the
// next is tried.
struct RouteSearch {
    const std::vector<std::string_view>& segments;
    wire::Method method;
    std::vector<std::size_t> parameters = {};  // positions of the segments taken as values
    Router::Match match = {};

    template <class NodeType>
    bool walk(NodeType& node, std::size_t at) {
        if (at == segments.size()) return accept(node.routes);
        if (auto* next = node.literal(segments[at]); next != nullptr && walk(*next, at + 1)) {
            return true;
        }
        if (node.parameter) {
            parameters.push_back(at);
            if (walk(*node.parameter, at + 1)) return true;
            parameters.pop_back();
        }
        if (!any(node.tails)) return false;
        if (!accept(node.tails)) return false;
        std::string& tail = match.values.emplace_back(segments[at]);
        for (std::size_t i = at + 1; i < segments.size(); ++i) tail.append("/").append(segments[i]);
        return true;
    }

    bool accept(const Routes& routes) {
        match.route = choose(routes, method);
        if (match.route == nullptr) {
            if (match.allow.empty() && any(routes)) match.allow = allow_value(routes);
            return false;
        }
        for (const std::size_t position : parameters) match.values.emplace_back(segments[position]);
        match.allow.clear();
        return true;
    }
};

std::optional<Router::Match> Router::find(wire::Method method, std::string_view path) {
    if (path == "*") {
        Match match;
        if (method == wire::Method::options) match.allow = "GET, HEAD, POST, PUT, DELETE, OPTIONS";
        return match;
    }
    std::vector<std::string_view> segments;
    segments.reserve(kSegmentsUsual);
    std::forward_list<std::string> decoded;  // what `segments` looks at where it is not `path`
    while (const auto raw = take_segment(path)) {
        std::string_view segment = *raw;
        if (needs_decoding(segment)) {
            auto text = wire::percent_decode(segment);
            if (!text) return std::nullopt;
            segment = decoded.emplace_front(std::move(*text));
        }
        if (segment == "." || segment == "..") return std::nullopt;
        segments.push_back(segment);
    }
    RouteSearch search{.segments = segments, .method = method};
    search.walk(*root_, 0);
    return std::move(search.match);
}

Admission Router::ask_gate(Visit& visit) {
    if (!gate_) return Admit{};
    return gate_(visit);
}

Response Router::answer_options(const Visit& visit, std::string_view allow) {
    if (options_hook_) return options_hook_(visit, allow);
    Response response{.status = allow.empty() ? 404 : 204};
    if (!allow.empty()) response.headers.add("Allow", allow);
    return response;
}

Response Router::shape(const Refusal& refusal, const wire::Request* request) {
    const std::string_view target = request ? std::string_view(request->target) : "";
    const std::string_view path = target.substr(0, target.find('?'));
    for (auto& [prefix, shape] : shapes_) {
        const bool below = path.starts_with(prefix) &&
                           (prefix.empty() || prefix.ends_with('/') ||
                            path.size() == prefix.size() || path[prefix.size()] == '/');
        if (below) return shape(refusal, request);
    }
    return default_shape(refusal, request);
}

void Router::record(const AccessRecord& record) {
    if (after_hook_) after_hook_(record);
}

}  // namespace parley::net

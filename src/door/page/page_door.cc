// SPDX-License-Identifier: Apache-2.0
// The page's files. Open to all: there is nothing in them but the program, which then calls the
// native door with the cookie of whoever is signed in.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "door/front_page.h"
#include "door/page/assets.h"
#include "net/secret.h"
#include "wire/header_text.h"

namespace parley {

namespace {

// Nothing but our own files is loaded or called, no script stands in a document, and HTML is made
// by the sanitiser only.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types dompurify parley";
constexpr std::string_view kPermissions =
    "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

bool takes_gzip(const net::Exchange& exchange) {
    return exchange.header("accept-encoding").find("gzip") != std::string_view::npos;
}

std::string tag_of(const page::Asset& asset) {
    return fmt::format("\"{}\"", net::sha256_hex(asset.content).substr(0, 16));
}

void serve(net::Exchange& exchange, const page::Asset& asset, const std::string& tag) {
    net::Response response{.content_type = asset.content_type};
    response.headers.add("ETag", tag)
        .add("Vary", "Accept-Encoding")
        .add("Content-Security-Policy", kPolicy)
        .add("Permissions-Policy", kPermissions)
        .add("Cross-Origin-Opener-Policy", "same-origin");
    if (exchange.header("if-none-match").find(tag) != std::string_view::npos) {
        response.status = 304;
        response.content_type = {};
    } else if (takes_gzip(exchange)) {
        response.headers.add("Content-Encoding", "gzip");
        response.body = net::Body::literal(asset.gzipped);
    } else {
        response.body = net::Body::literal(asset.content);
    }
    exchange.respond(std::move(response));
}

}  // namespace

void add_front_page(net::Router& router, FrontPageWiring wiring) {
    for (const page::Asset& asset : page::assets()) {
        router.get(
            asset.path,
            // A broker whose page nobody opens does not even read it.
            [&asset, wiring, tag = std::string()](net::Exchange exchange) mutable {
                if (asset.path == "/" && wiring.sign_in.redeem(exchange)) return;
                if (tag.empty()) tag = tag_of(asset);
                serve(exchange, asset, tag);
            },
            route(Needs::asset));
    }
}

}  // namespace parley

// SPDX-License-Identifier: Apache-2.0
// The owner's calls of the remote link: what the server is, tokens, links that sign a browser in.
#include <utility>

#include "client/remote_link.h"
#include "client/remote_reading.h"
#include "wire/url.h"

namespace parley {

void RemoteLink::describe_server(Done<native::ServerBody> done) {
    call(request(wire::Method::get, "/v1/server"), Millis::zero(),
         reading<native::ServerBody>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_server_document(response.body);
         }));
}

// Not repeated: the secret is told once, and the second try would find the name taken.
void RemoteLink::make_token(native::TokenBody body, Done<native::MadeToken> done) {
    call(request(wire::Method::post, "/v1/tokens", native::token_request(body)), Millis::zero(),
         reading<native::MadeToken>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_token_document(response.body);
         }));
}

void RemoteLink::list_tokens(Done<std::vector<Token>> done) {
    call(request(wire::Method::get, "/v1/tokens"), options_.patience,
         reading<std::vector<Token>>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_token_page(response.body);
         }));
}

void RemoteLink::drop_token(std::string_view name, Done<void> done) {
    call(request(wire::Method::del, "/v1/tokens/" + wire::percent_encode(name)), Millis::zero(),
         reading_nothing(std::move(done)));
}

void RemoteLink::rotate_token(std::string_view name, Done<native::MadeToken> done) {
    call(request(wire::Method::post, "/v1/tokens/" + wire::percent_encode(name) + "/rotate"),
         Millis::zero(),
         reading<native::MadeToken>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_token_document(response.body);
         }));
}

void RemoteLink::make_sign_in_link(const std::optional<std::string>& person,
                                   Done<native::SignInLink> done) {
    call(request(wire::Method::post, "/sign-in/links", native::link_request(person)),
         Millis::zero(),
         reading<native::SignInLink>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_sign_in_link(response.body);
         }));
}

}  // namespace parley

// SPDX-License-Identifier: Apache-2.0
#include "net/exchange.h"

#include "net/connection.h"

namespace parley::net {

Exchange::~Exchange() {
    if (connection_) connection_->exchange_released();
}

const wire::Request& Exchange::request() const {
    return connection_->request();
}
std::string_view Exchange::path() const {
    return connection_->path();
}
std::string_view Exchange::query_text() const {
    return connection_->query_text();
}
const wire::Query& Exchange::query() const {
    return connection_->query();
}
std::string_view Exchange::param(std::string_view name) const {
    return connection_->param(name);
}
const Peer& Exchange::peer() const {
    return connection_->peer();
}
Loop& Exchange::loop() const {
    return connection_->core().loop;
}
std::string Exchange::request_id() const {
    return connection_->request_id();
}
const void* Exchange::principal_pointer() const {
    return connection_->principal();
}
void Exchange::add_header(std::string_view name, std::string_view value) {
    connection_->add_header(name, value);
}
void Exchange::respond(Response response) {
    connection_->respond(std::move(response));
}
void Exchange::refuse(Refusal refusal) {
    connection_->refuse(refusal);
}
Stream Exchange::start_stream(StreamOptions options) {
    if (!connection_->start_stream(std::move(options))) return {};
    return Stream(connection_);
}
bool Exchange::is_answered() const {
    return connection_->is_answered();
}
bool Exchange::peer_gone() const {
    return connection_->peer_gone();
}
void Exchange::on_peer_gone(Task task) {
    connection_->on_peer_gone(std::move(task));
}
bool Exchange::server_closing() const {
    return connection_->core().draining;
}
void Exchange::on_server_closing(Task task) {
    connection_->on_server_closing(std::move(task));
}

}  // namespace parley::net

// SPDX-License-Identifier: Apache-2.0
// Lists of asks and sessions, page by page.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "client/remote_link.h"
#include "client/remote_reading.h"
#include "dialect/native/client.h"

namespace parley {

namespace {

// Nothing is said of the order that the broker takes by itself.
std::string_view order_parameter(ListOrder order) {
    switch (order) {
        case ListOrder::oldest_first: break;
        case ListOrder::newest_first: return "&order=newest";
        case ListOrder::last_settled_first: return "&order=settled";
    }
    return "";
}

}  // namespace

// A member that is not sent does not compile.
void RemoteLink::list_asks(AskListing listing, Done<AskPage> done) {
    const auto& [state, session, after, limit, order] = listing;
    std::string target = fmt::format("/v1/asks?limit={}", limit);
    if (state) target += fmt::format("&state={}", to_string(*state));
    if (session) target += fmt::format("&session={}", session->str());
    target += order_parameter(order);
    if (after) target += fmt::format("&after={}", after->str());
    call(request(wire::Method::get, std::move(target)), options_.patience,
         reading<AskPage>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_ask_page(response.body).map([](native::AskList list) {
                 AskPage page{.asks = std::move(list.asks), .has_more = list.next.has_value()};
                 if (list.next) page.last = *list.next;
                 return page;
             });
         }));
}

void RemoteLink::list_sessions(SessionQuery query, Done<SessionPage> done) {
    const auto& [state, after, limit, order] = query;
    std::string target = fmt::format("/v1/sessions?limit={}", limit);
    if (state) target += *state == SessionState::live ? "&state=live" : "&state=ended";
    target += order_parameter(order);
    if (after) target += fmt::format("&after={}", after->str());
    call(request(wire::Method::get, std::move(target)), options_.patience,
         reading<SessionPage>(std::move(done), [](const net::ClientResponse& response) {
             return native::read_session_page(response.body).map([](native::SessionList list) {
                 SessionPage page{.sessions = {}, .has_more = list.next.has_value()};
                 for (native::ListedSession& listed : list.sessions)
                     page.sessions.push_back(std::move(listed.session));
                 return page;
             });
         }));
}

}  // namespace parley

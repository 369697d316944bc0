// SPDX-License-Identifier: Apache-2.0
// Errors on our own wire: problem documents (RFC 9457, application/problem+json), written by the
// native door and read back by our remote client. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "parley/values.h"
#include "text/json_object.h"

namespace parley::native {

// The status that says what this code means; a door may know a better one.
int http_status(ErrorCode code);

inline constexpr int kConflict = 409;

// The members that every problem has, into an object that was begun.
void write_problem(json::Writer& out, std::string_view name, std::string_view title, int status,
                   std::string_view detail);
// {type, title, status, detail, errors?}.
std::string problem_document(const Error& error, int status);
// Of a push of several items: the same, with `applied`, how many of them stay.
std::string push_problem(const Error& error, int status);
// 409 for a draft that is newer than the one that was to be put: the same, with that draft.
std::string draft_problem(const Draft& draft);
// 409 for a name that another principal has.
std::string name_problem(std::string_view detail);

// What the server refused, as the Error it was. A text that is no problem document becomes an Error
// of the code that `status` suggests.
struct Problem {
    Error error;
    AskPtr ask = {};      // of a settled_problem
    DraftPtr draft = {};  // of a draft_problem
};
Problem read_problem(std::string_view text, int status);

// What a stream of events says of the broker's store, between events and without a cursor.
struct StoreNews {
    std::optional<Error> away;  // none: it is back
};
inline constexpr std::string_view kStoreAway = "store.away";
inline constexpr std::string_view kStoreBack = "store.back";
std::string store_news_document(const StoreNews& news);
// Nothing where the event is another one.
std::optional<StoreNews> read_store_news(std::string_view event, std::string_view data);

}  // namespace parley::native

// SPDX-License-Identifier: Apache-2.0
// What an agent is told of a failure that is the broker's own. Where the store lies on this machine
// and which of its rows is damaged is for who runs the broker, and stands in its log; an agent is
// told what to do. Pure functions.
#pragma once

#include <string_view>
#include <utility>

#include "core/viewer.h"
#include "parley/error.h"

namespace parley {

inline Error told_to_agents(Error error) {
    std::string_view said;
    switch (error.code) {
        case ErrorCode::unavailable:
            said =
                "the broker cannot use its store at the moment, and nothing of this was kept: try "
                "again in a few seconds; who runs the broker finds the cause in its log";
            break;
        case ErrorCode::corrupt:
            said =
                "what the broker has stored of this cannot be read: trying again does not help; "
                "who runs the broker finds the cause in its log";
            break;
        case ErrorCode::internal:
            said = "something went wrong in the broker: who runs it finds the cause in its log";
            break;
        default: return error;
    }
    // A push names the item that failed, in the words of the failure.
    for (Fault& fault : error.faults)
        if (fault.detail == error.message) fault.detail = said;
    error.message = said;
    return error;
}

inline Error told_to(const Viewer& viewer, Error error) {
    return viewer.sees_all ? error : told_to_agents(std::move(error));
}

}  // namespace parley

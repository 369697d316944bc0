// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace parley::postgres {

namespace {

// By the state where there is one, else by words: libpq keeps no state of a connection that was
// refused.
struct Remedy {
    std::string_view state;
    std::string_view words;
    std::string_view fix;
};

constexpr std::array kRemedies = {
    Remedy{"28P01", "password authentication failed",
           "give the right password, in the address or in ~/.pgpass"},
    Remedy{"28P01", "no password supplied", "give the password, in the address or in ~/.pgpass"},
    Remedy{"28000", "no pg_hba.conf entry",
           "let this user in from this host in the server's pg_hba.conf"},
    Remedy{"28000", "Peer authentication failed",
           "name a database user with the name of the system's, or a host and a password"},
    Remedy{"3D000", "database \"", "make the database with 'createdb', or name another"},
    Remedy{"42501", "permission denied",
           "make the database user the owner of the database, or of a schema named parley in it"},
    Remedy{"25006", "session is read-only",
           "name the primary server; several hosts may be named, and the one that takes writes is "
           "found"},
    Remedy{"53300", "too many clients", "raise max_connections of the server, or end others'"},
    Remedy{"53300", "remaining connection slots",
           "raise max_connections of the server, or end others'"},
    Remedy{"53300", "too many connections",
           "raise the connection limit of the user or of the database"},
    Remedy{"53100", "No space left on device",
           "make room on the server's disk; it goes on by itself"},
    Remedy{"28000", "role \"", "name a user that the server has"},
    Remedy{"57P03", "the database system is", "wait until the server is up; it is tried again"},
    Remedy{"", "Connection refused", "start the server, or name the host and port it listens on"},
    Remedy{"", "No such file or directory",
           "start the server, or name the folder of its socket with ?host=/folder"},
    Remedy{"", "could not translate host name", "see whether the host is spelled right"},
};

std::string_view remedy_of(const Complaint& complaint) {
    const auto fits = [&](const Remedy& remedy) {
        if (!complaint.state.empty()) return complaint.state == remedy.state;
        return complaint.message.find(remedy.words) != std::string_view::npos;
    };
    const auto found = std::ranges::find_if(kRemedies, fits);
    return found == kRemedies.end() ? std::string_view() : found->fix;
}

// On one line, without what libpq puts at its end.
std::string one_line(std::string_view message) {
    std::string line;
    for (const char c : message) {
        const bool is_break = c == '\n' || c == '\t' || c == ' ';
        if (!is_break) line += c;
        if (is_break && !line.empty() && line.back() != ' ') line += ' ';
    }
    while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
    return line;
}

}  // namespace

Error explain(const Complaint& complaint) {
    std::string message = fmt::format("the database {} on {} says: {}", complaint.database,
                                      complaint.host, one_line(complaint.message));
    const std::string_view fix = remedy_of(complaint);
    if (!fix.empty()) message += fmt::format(". To fix it: {}", fix);
    return {.code = ErrorCode::unavailable, .message = std::move(message)};
}

}  // namespace parley::postgres

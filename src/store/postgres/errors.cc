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
    Remedy{"", "timeout expired",
           "see whether the server runs, and whether a firewall lets this machine reach it"},
    Remedy{"", "No route to host", "see whether the host is right and the network is up"},
    Remedy{"", "Network is unreachable", "see whether the host is right and the network is up"},
    Remedy{"", "does not support SSL",
           "turn on ssl at the server, or write another sslmode into the address"},
    Remedy{"", "certificate",
           "name the certificate of who signed the server's with sslrootcert=FILE"},
    Remedy{"", "no encryption", "write sslmode=require into the address"},
    Remedy{"", "server closed the connection", "see why in the server's log; it is tried again"},
    Remedy{"", "nothing, for", "see whether the server is stuck; it is tried again"},
    Remedy{"57014", "statement timeout",
           "see in pg_locks who holds a lock on Parley's tables; it is tried again"},
    Remedy{"53200", "out of memory", "give the server more memory; it is tried again"},
    Remedy{"42P01", "does not exist",
           "nothing but Parley may change the tables of the schema parley; restore them"},
    Remedy{"42703", "does not exist",
           "nothing but Parley may change the tables of the schema parley; restore them"},
    Remedy{"26000", "prepared statement",
           "let a pooler between them keep sessions (pool_mode = session)"},
    Remedy{"42P05", "prepared statement",
           "let a pooler between them keep sessions (pool_mode = session)"},
    Remedy{"57P01", "administrator command", "nothing: it is tried again"},
    Remedy{"57P02", "crash of another", "nothing: it is tried again"},
    Remedy{"25P03", "idle-in-transaction", "nothing: it is tried again"},
    Remedy{"55P03", "lock timeout", "see in pg_locks who holds a lock on Parley's tables"},
    // The last: of several hosts, the standbys say so while the primary is down.
    Remedy{"25006", "session is read-only",
           "name the primary server; several hosts may be named, and the one that takes writes is "
           "found"},
};

// What libpq says of an address that it cannot read has the address in it, and the password with
// it: none of that may be shown.
struct AddressFault {
    std::string_view words;
    std::string_view fault;
};

constexpr std::array kAddressFaults = {
    AddressFault{"percent-encoded", "a % in it is not followed by two hexadecimal digits"},
    AddressFault{"IPv6", "the brackets of an IPv6 address are not closed, or empty"},
    AddressFault{"query parameter",
                 "what follows its ? is not NAME=VALUE, with names that libpq knows"},
    AddressFault{"port", "its port is no number from 1 to 65535"},
    AddressFault{"unexpected character", "something stands between its host and its port"},
    AddressFault{"service", "its service is not in the service file"},
    AddressFault{" value", "one of its parameters has a value that libpq does not know"},
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

// libpq takes no name of a database from an address that it cannot read, and then knows nothing of
// one.
bool is_unreadable(const Complaint& complaint) {
    return complaint.database.empty() || complaint.message.starts_with("invalid ");
}

std::string_view fault_of_address(const Complaint& complaint) {
    if (!is_unreadable(complaint)) return "it has an @ or a / more than it should";
    const auto is_said = [&](const AddressFault& fault) {
        return complaint.message.find(fault.words) != std::string_view::npos;
    };
    const auto found = std::ranges::find_if(kAddressFaults, is_said);
    return found == kAddressFaults.end() ? "libpq does not understand it" : found->fault;
}

}  // namespace

Error explain(const Complaint& complaint) {
    if (complaint.state.empty() && (is_unreadable(complaint) || complaint.may_be_misread))
        return {.code = ErrorCode::invalid,
                .message = fmt::format("the address of the store cannot be read: {}. To fix it: "
                                       "write postgres://USER@HOST[:PORT]/DATABASE, and in a name "
                                       "or password %40 for an @, %2F for a / and %25 for a %",
                                       fault_of_address(complaint))};
    std::string message = fmt::format("the database {} on {} says: {}", complaint.database,
                                      complaint.host, one_line(complaint.message));
    const std::string_view fix = remedy_of(complaint);
    if (!fix.empty()) message += fmt::format(". To fix it: {}", fix);
    return {.code = ErrorCode::unavailable, .message = std::move(message)};
}

}  // namespace parley::postgres

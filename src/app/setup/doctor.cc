// SPDX-License-Identifier: Apache-2.0
#include "app/setup/doctor.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "app/serve/own_name.h"
#include "dialect/acp/known_agents.h"

namespace parley::app {

namespace {

namespace fs = std::filesystem;

// The nearest folder that is there: what would have to be written to make `path`.
fs::path nearest_existing(fs::path path) {
    std::error_code error;
    while (!path.empty() && !fs::exists(path, error) && path != path.parent_path())
        path = path.parent_path();
    return path;
}

std::string command_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
    std::string line{std::istreambuf_iterator<char>(file), {}};
    while (!line.empty() && line.back() == '\0') line.pop_back();
    std::replace(line.begin(), line.end(), '\0', ' ');
    return line;
}

// Whether a command of this name would be found.
bool is_in_path(const Environment& environment, std::string_view command) {
    const std::string path = environment.find("PATH").value_or("");
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const fs::path file = fs::path(path.substr(at, end - at)) / command;
        std::error_code error;
        if (fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0) return true;
        at = end + 1;
    }
    return false;
}

}  // namespace

void check_folders(const Environment& environment, Findings& findings) {
    std::error_code error;
    if (const auto config = environment.config_file()) {
        const bool is_there = fs::exists(*config, error);
        findings.push_back({Finding::Grade::good, "config",
                            fmt::format("{} {}", config->string(),
                                        is_there ? "is read" : "is not there; none is needed")});
    }
    const auto state = environment.state_folder();
    if (!state) {
        findings.push_back({Finding::Grade::bad, "state", "there is no HOME to keep anything in",
                            "set HOME, or give serve --store, --token-file and --socket"});
        return;
    }
    if (::access(nearest_existing(*state).c_str(), W_OK) == 0) {
        findings.push_back({Finding::Grade::good, "state", state->string()});
        struct stat status{};
        if (::stat(state->c_str(), &status) == 0 && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            findings.push_back({Finding::Grade::note, "state",
                                fmt::format("others may look into {}", state->string()),
                                fmt::format("chmod 700 {}", state->string())});
    } else {
        findings.push_back({Finding::Grade::bad, "state",
                            fmt::format("{} cannot be written", state->string()),
                            "make it yours, or point XDG_STATE_HOME elsewhere"});
    }
}

void check_agents(const Environment& environment, Findings& findings) {
    std::string there;
    for (const std::string_view name : {"claude", "codex", "opencode"})
        if (is_in_path(environment, name))
            there += fmt::format("{}{}", there.empty() ? "" : ", ", name);
    for (const acp::KnownAgent& agent : acp::known_agents())
        if (is_in_path(environment, agent.command.front()))
            there += fmt::format("{}{}", there.empty() ? "" : ", ", agent.name);
    findings.push_back({Finding::Grade::good, "agents",
                        there.empty() ? std::string("none of those that `parley run` knows by name")
                                      : fmt::format("`parley run` can start: {}", there)});
}

void check_token_file(const Environment& environment, Findings& findings) {
    const auto state = environment.state_folder();
    if (!state) return;
    const fs::path path = *state / "token";
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
        findings.push_back({Finding::Grade::good, "token", "none yet; `parley serve` makes one"});
    } else if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        findings.push_back({Finding::Grade::bad, "token",
                            fmt::format("{} can be read by others", path.string()),
                            fmt::format("chmod 600 {}", path.string())});
    } else {
        findings.push_back({Finding::Grade::good, "token", path.string()});
    }
}

void check_page_name(Findings& findings) {
    if (has_own_name()) {
        findings.push_back(
            {Finding::Grade::good, "page", fmt::format("has the host {}", kOwnName)});
        return;
    }
    findings.push_back(
        {Finding::Grade::note, "page",
         fmt::format(
             "{} is not known on this machine: the page is opened as 127.0.0.1, and browsers "
             "send its cookie to every program that listens there",
             kOwnName),
         fmt::format("write \"127.0.0.1 {}\" into /etc/hosts, or install libnss-myhostname",
                     kOwnName)});
}

void check_terminal(const Environment& environment, const Console& console, Findings& findings) {
    if (!environment.is_utf8()) {
        findings.push_back({Finding::Grade::note, "terminal",
                            "the locale is not UTF-8: questions are shown in ASCII",
                            "set LANG to a UTF-8 locale, such as C.UTF-8"});
    }
    if (environment.find("TERM").value_or("dumb") == "dumb") {
        findings.push_back({Finding::Grade::note, "terminal",
                            "TERM names no terminal that can be drawn on: prompts are plain lines",
                            "set TERM, if this terminal can do more"});
    }
    if (!console.is_interactive())
        findings.push_back({Finding::Grade::note, "terminal",
                            "no terminal here: `parley ask` waits for an answer from elsewhere",
                            "give --here to be asked on piped lines"});
}

std::optional<SocketHolder> find_socket_holder(const fs::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& path = socket.native();
    if (path.size() >= sizeof(address.sun_path)) return std::nullopt;
    path.copy(address.sun_path, path.size());
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return std::nullopt;
    ucred peer{};
    socklen_t size = sizeof(peer);
    const bool is_held =
        ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    ::close(fd);
    if (!is_held) return std::nullopt;
    return SocketHolder{.pid = peer.pid, .command = command_of(peer.pid)};
}

}  // namespace parley::app

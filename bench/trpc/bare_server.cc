// SPDX-License-Identifier: Apache-2.0
// The limit of this machine for the flow over WebSocket: the same frames in the same directions
// through plain sockets, one read for each that comes, one write for all that one connection is to
// get. Nothing is parsed, checked, stored or remembered but who is to be told; the ids are found by
// looking for them, all else is the same in every round. Prints its port.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace {

// What follows {"id":…,"result":{"type":"data", in each frame.
constexpr std::string_view kQuestion =
    R"("id":"100000","data":{"type":"ask-question","questionId":"que_00000000000000000000000001",)"
    R"("questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":)"
    R"([{"label":"PostgreSQL","description":"Your existing one"},{"label":"SQLite",)"
    R"("description":"One file"}]}]})";
constexpr std::string_view kSettled =
    R"("id":"100001","data":{"type":"ask-settled","questionId":"que_00000000000000000000000001",)"
    R"("outcome":"answered","answers":{"Which database?":"PostgreSQL"}})";
constexpr std::string_view kAnswers = R"("data":{"questionId":"que_00000000000000000000000001",)"
                                      R"("answers":{"Which database?":"PostgreSQL"}})";
constexpr std::string_view kStarted = R"("data":{"type":"started"})";
constexpr std::string_view kSuccess = R"("data":{"success":true})";

// What stands between `before` and the next `after`.
std::string_view between(std::string_view text, std::string_view before, char after) {
    const std::size_t begin = text.find(before);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + before.size());
    return text.substr(0, text.find(after));
}

void add_frame(std::string& out, std::string_view id, std::string_view rest) {
    std::string text = R"({"id":)";
    text.append(id).append(R"(,"result":{"type":"data",)").append(rest).append("}}");
    out += '\x81';
    if (text.size() < 126) {
        out += static_cast<char>(text.size());
    } else {
        out += '\x7e';
        out += static_cast<char>(text.size() >> 8U);
        out += static_cast<char>(text.size());
    }
    out += text;
}

void send_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

class Server {
public:
    Server() : listener_(::socket(AF_INET, SOCK_STREAM, 0)), poll_(::epoll_create1(0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        auto* address = reinterpret_cast<sockaddr*>(&at);
        if (::bind(listener_, address, size) != 0 || ::listen(listener_, 1024) != 0 ||
            ::getsockname(listener_, address, &size) != 0)
            std::exit(1);
        watch(listener_);
        std::printf("%d\n", ntohs(at.sin_port));
        std::fflush(stdout);
    }

    void run() {
        std::array<epoll_event, 128> events;
        while (true) {
            const int count = ::epoll_wait(poll_, events.data(), events.size(), -1);
            for (int i = 0; i < count; ++i) {
                const int ready = events[static_cast<std::size_t>(i)].data.fd;
                ready == listener_ ? accept() : read(ready);
            }
        }
    }

private:
    struct Peer {
        std::string unread;
        bool is_upgraded = false;
    };
    struct Session {
        int responder = -1;
        std::string subscription;  // ids of the requests
        int agent = -1;
        std::string ask;
    };

    void watch(int descriptor) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = descriptor;
        ::epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event);
    }

    void accept() {
        const int peer = ::accept(listener_, nullptr, nullptr);
        const int on = 1;
        ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        peers_[peer] = {};
        watch(peer);
    }

    void read(int from) {
        std::array<char, 65536> room;
        const ssize_t got = ::recv(from, room.data(), room.size(), 0);
        if (got <= 0) {
            peers_.erase(from);
            ::close(from);
            return;
        }
        Peer& peer = peers_[from];
        peer.unread.append(room.data(), static_cast<std::size_t>(got));
        if (!peer.is_upgraded) return upgrade(from, peer);
        while (take_frame(from, peer.unread)) {
        }
    }

    static void upgrade(int to, Peer& peer) {
        const std::size_t end = peer.unread.find("\r\n\r\n");
        if (end == std::string::npos) return;
        std::string key(between(peer.unread, "Sec-WebSocket-Key: ", '\r'));
        key += "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
        unsigned size = 0;
        EVP_Digest(key.data(), key.size(), digest.data(), &size, EVP_sha1(), nullptr);
        std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> accept;
        EVP_EncodeBlock(accept.data(), digest.data(), static_cast<int>(size));
        send_all(to,
                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                 "Connection: Upgrade\r\nSec-WebSocket-Accept: " +
                     std::string(reinterpret_cast<char*>(accept.data())) + "\r\n\r\n");
        peer.unread.erase(0, end + 4);
        peer.is_upgraded = true;
    }

    // A client's whole frame, shorter than 64 KiB; false if there is none yet.
    bool take_frame(int from, std::string& unread) {
        if (unread.size() < 8) return false;
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(unread[at]); };
        std::size_t size = byte(1) & 127U;
        std::size_t head = 6;
        if (size == 126) {
            size = byte(2) * std::size_t{256} + byte(3);
            head = 8;
        }
        if (unread.size() < head + size) return false;
        for (std::size_t i = 0; i < size; ++i)
            unread[head + i] = static_cast<char>(unread[head + i] ^ unread[head - 4 + i % 4]);
        take(from, std::string_view(unread).substr(head, size));
        unread.erase(0, head + size);
        return true;
    }

    void take(int from, std::string_view request) {
        const std::string_view id = between(request, R"("id":)", ',');
        const std::string_view path = between(request, R"("path":")", '"');
        Session& session = sessions_[std::string(between(request, R"("sessionId":")", '"'))];
        std::string out;
        if (path == "message.streamResponse") {
            session.responder = from;
            session.subscription = id;
            add_frame(out, id, kStarted);
            send_all(from, out);
        } else if (path == "message.ask") {
            session.agent = from;
            session.ask = id;
            add_frame(out, session.subscription, kQuestion);
            send_all(session.responder, out);
        } else if (path == "message.answerAsk") {
            add_frame(out, id, kSuccess);
            add_frame(out, session.subscription, kSettled);
            send_all(from, out);
            out.clear();
            add_frame(out, session.ask, kAnswers);
            send_all(session.agent, out);
        }
    }

    int listener_;
    int poll_;
    std::map<int, Peer> peers_;
    std::map<std::string, Session> sessions_;
};

}  // namespace

int main() {
    Server().run();
}

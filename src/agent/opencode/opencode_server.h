// SPDX-License-Identifier: Apache-2.0
// One OpenCode server over its HTTP interface: what happens there, of all its folders, and requests
// to it. A server that is away is tried again, for as long as it takes. Belongs to the loop's
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/lifetime.h"
#include "base/result.h"
#include "dialect/opencode/server_events.h"
#include "net/http_calls.h"
#include "net/loop.h"
#include "text/json.h"
#include "wire/http_message.h"
#include "wire/url.h"

namespace parley {

class OpencodeServer final : private net::EventSink {
public:
    struct Options {
        wire::Url url;
        std::string user = "opencode";
        std::string password = {};  // "" for a server that wants none
    };
    class Listener {
    public:
        virtual ~Listener() = default;
        // Its events come from now on; what was before has to be asked for.
        virtual void on_connected(const std::string& version) = 0;
        virtual void on_event(const opencode::ServerEvent& event) = 0;
        // It is away, and is tried again.
        virtual void on_lost(const Error& why) = 0;
        // It is not tried again: that would change nothing.
        virtual void on_refused(const Error& why) = 0;
    };

    // The listener must outlive it.
    [[nodiscard]] static Result<std::unique_ptr<OpencodeServer>> create(net::Loop& loop,
                                                                        Options options,
                                                                        Listener& listener);
    ~OpencodeServer() override;

    void start() { probe(); }
    std::string address() const { return options_.url.str(); }

    // One request. `directory` may be empty. Any status is an answer.
    using Answered = UniqueFunction<void(Result<net::ClientResponse>)>;
    void post(std::string_view path, std::string_view directory, std::string body, Answered done);
    // The same of what may be done twice: one that is lost is made again, some times.
    void act(std::string_view path, std::string_view directory, std::string body, Answered done);
    // What is there, asked for again in the same way.
    using Read = UniqueFunction<void(Result<json::Value>)>;
    void read(std::string_view path, std::string_view directory, Read done);

    // Nobody knows what became of the request, or the server itself failed.
    static bool is_lost(const Result<net::ClientResponse>& response);
    // The body of a good answer; what is none, or no JSON, is an Error with the server's words.
    static Result<json::Value> body_of(const Result<net::ClientResponse>& response);
    static Answered reading(Read done);
    // Before the next of so many tries.
    static Millis delay_after(int tries);

private:
    OpencodeServer(net::Loop& loop, Options options, std::unique_ptr<net::HttpCalls> calls,
                   Listener& listener);

    // net::EventSink
    void on_open() override;
    void on_event(wire::ReceivedSse event) override;
    void on_refused(const net::ClientResponse& response) override;
    void on_end(Error why) override;

    void probe();
    void probed(const Result<net::ClientResponse>& health);
    void check_questions();
    void check_kind();
    void refuse(ErrorCode code, std::string why);
    void try_again(const Error& why);
    net::ClientRequest request(wire::Method method, std::string_view path,
                               std::string_view directory) const;
    net::ClientRequest post_request(std::string_view path, std::string_view directory,
                                    std::string body) const;
    void get(std::string_view path, std::string_view directory, Answered done);
    void send(net::ClientRequest request, Answered done);
    void send_patiently(net::ClientRequest request, int tries, Answered done);

    net::Loop& loop_;
    Options options_;
    Listener& listener_;
    std::unique_ptr<net::HttpCalls> calls_;
    std::map<std::uint64_t, net::HttpCalls::Handle> under_way_;
    std::uint64_t next_ = 1;
    net::HttpCalls::Handle events_;
    std::string version_;
    Millis delay_;
    bool is_refused_ = false;
    Lifetime alive_;
};

}  // namespace parley

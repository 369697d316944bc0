// SPDX-License-Identifier: Apache-2.0
// One request to a model's server and its reply: streamed, and asked again where that may help,
// with growing delays that differ from those of others, or as the server says. Belongs to the
// loop's thread, on which `home` is; nothing is told once it is gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/ids.h"
#include "base/lifetime.h"
#include "dialect/llm/refusal.h"
#include "dialect/llm/request.h"
#include "dialect/llm/response_reader.h"
#include "net/http_calls.h"
#include "net/loop.h"

namespace parley {

// A server and how it is spoken to. What it has of the key it tells nobody.
class ModelServer {
public:
    struct Options {
        wire::Url address;
        llm::Api api = llm::Api::anthropic;
        std::string key = {};         // none: the server wants none
        std::string key_source = {};  // what of it may be told: where it came from
    };

    [[nodiscard]] static Result<std::unique_ptr<ModelServer>> create(net::Loop& loop,
                                                                     Options options);

    [[nodiscard]] net::HttpCalls::Handle post(std::string body, net::EventSink& sink);
    // Which models it has, as it says.
    [[nodiscard]] net::HttpCalls::Handle list_models(Millis patience,
                                                     net::HttpCalls::Answered done);
    llm::Api api() const { return options_.api; }
    const std::string& key_source() const { return options_.key_source; }
    std::string address() const { return options_.address.str(); }
    // What it says, as it may be told on: some repeat the key that they refuse.
    std::string without_key(std::string text) const;
    // What requests to this server look like; learned from its refusals.
    llm::Wishes& wishes() { return wishes_; }

private:
    ModelServer(Options options, std::unique_ptr<net::HttpCalls> calls);
    net::ClientRequest request(std::string target) const;

    Options options_;
    std::unique_ptr<net::HttpCalls> calls_;
    llm::Wishes wishes_;
};

class ModelCall final : private net::EventSink {
public:
    class Listener {
    public:
        virtual ~Listener() = default;
        virtual std::string request_body() = 0;
        virtual void model_says(llm::ResponseReader::Piece piece) = 0;
        // All that it said is void: it is asked again.
        virtual void model_begins_again(std::string why) = 0;
        virtual void model_said(llm::Response response) = 0;
        virtual void model_failed(std::string why) = 0;
    };

    ModelCall(Executor& home, const Clock& clock, ModelServer& server, RandomBits& random,
              Listener& listener);

    void start();
    // Said so far, of a call that is given up.
    llm::Response so_far() const { return reader_->response(); }

private:
    // EventSink
    void on_open() override {}
    void on_event(wire::ReceivedSse event) override;
    void on_refused(const net::ClientResponse& response) override;
    void on_end(Error why) override;

    void ask();
    void finish();
    bool mend_request(const llm::Refusal& refusal);
    void again(const std::string& why, std::optional<Millis> wanted);
    void fail(std::string why);

    Executor& home_;  // where it waits
    const Clock& clock_;
    ModelServer& server_;
    RandomBits& random_;
    Listener& listener_;
    std::unique_ptr<llm::ResponseReader> reader_;
    net::HttpCalls::Handle call_;
    int tries_ = 0;
    Lifetime alive_;
};

}  // namespace parley

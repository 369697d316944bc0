// SPDX-License-Identifier: Apache-2.0
// The broker as a process: store, broker, doors and listeners wired together on one loop. Made and
// run by `parley serve`, on its main thread; the store's engine has a thread of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/codex/codex_join.h"
#include "agent/demo/demo_host.h"
#include "agent/llm/llm_host.h"
#include "app/limits.h"
#include "app/reach/join_claim.h"
#include "app/serve/ask_log.h"
#include "app/serve/join_options.h"
#include "app/serve/memory_watch.h"
#include "app/serve/notifier.h"
#include "app/serve/notify_options.h"
#include "app/serve/resource_options.h"
#include "app/serve/server_log.h"
#include "base/lifetime.h"
#include "base/log.h"
#include "base/loop_thread.h"
#include "base/shared_clock.h"
#include "broker/broker.h"
#include "broker/nodes.h"
#include "broker/store_keeper.h"
#include "client/broker_place.h"
#include "client/local_link.h"
#include "door/access.h"
#include "door/chat/chat_door.h"
#include "door/claude/claude_hook_door.h"
#include "door/limits.h"
#include "door/mcp/mcp_door.h"
#include "door/native/native_door.h"
#include "door/opencode/opencode_door.h"
#include "door/operations.h"
#include "door/sign_in.h"
#include "door/tool_result/tool_result_door.h"
#include "door/trpc/trpc_door.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "store/store.h"

namespace parley::app {

struct ServeOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 7373;
    std::filesystem::path socket;  // empty: none
    // Sockets that were opened for us, which `host`, `port` and `socket` are of.
    std::optional<int> handed_tcp = {};
    std::optional<int> handed_socket = {};
    std::filesystem::path place_mark = {};  // where others look for the socket; empty: nowhere
    std::string store_url;
    std::filesystem::path token_file;  // empty: an owner's token that nobody is told
    bool requires_token = true;
    std::optional<net::TlsFiles> tls = {};
    std::vector<std::string> allowed_origins = {};
    std::vector<std::string> allowed_hosts = {};  // other names of this server, HOST or HOST:PORT
    std::string public_url = {};  // how people reach it, through a proxy; empty: as it listens
    std::optional<Millis> chat_timeout = limits::kChatAskTimeout;
    trpc::DoorSettings trpc = {};
    NotifySettings notify = {};
    bool has_demo = false;                      // a demo session of its own
    bool has_demo_agent = false;                // the demo serves sessions without an agent
    std::optional<LlmHost::Settings> llm = {};  // the model that serves those
    std::optional<CodexPlace> codex = {};       // to join
    OpenCodeOptions opencode = {};
    bool logs_text = false;  // what is asked and answered, too
    bool logs_life = true;   // its start and its end; false where a person is told in other words
    mcp::HttpSettings mcp = {};
    Resources resources = {};
    KeepTimes keep = {};
};

class Server {
public:
    Server(ServeOptions options, net::Loop& loop, Log& log);
    ~Server();

    // Opens the store, settles what is overdue, listens; `done` once requests are served.
    void start(Done<void> done);
    // Stops taking requests, tells those who listen, writes what is queued. Pending asks stay.
    void stop(Task done);
    // Reads the certificate again.
    void reload();

    // Once started.
    std::string url() const;
    // For people: an address that other machines reach, where there is one, with a token that signs
    // a browser in once.
    std::string sign_in_url();
    const ServeOptions& options() const { return options_; }
    LoopBroker& broker() { return *broker_; }
    const net::Router& router() const { return router_; }

private:
    bool listens_everywhere() const;
    std::string url_of(const std::string& host) const;
    std::string page_url() const;
    HearFirst hear_first();
    std::vector<std::string> allowed_origins() const;
    void add_routes();
    void cut_revoked();
    void add_claude_hooks();
    void add_mcp();
    [[nodiscard]] Result<std::string> owner_secret();
    void put_owner_token(std::string secret, Done<void> done);
    [[nodiscard]] Result<void> listen();
    [[nodiscard]] Result<void> listen_local();
    [[nodiscard]] Result<std::uint16_t> listen_tcp();
    void add_hosts();
    void check_store();
    void start_notifier();
    void start_agents();
    void start_demo();
    void start_models();
    void call_model(SessionId session, SessionHost::Called called);
    SessionHost::Claim agent_claim();
    void stop_agents();
    void claim_join();
    void start_join();
    void join_nodes();
    void start_ask_log();
    void watch_memory();

    ServeOptions options_;
    net::Loop& loop_;
    SharedClock clock_{loop_.clock()};
    Log& log_;
    ServerLog told_;
    MemoryWatch memory_;
    bool is_short_of_memory_ = false;
    std::shared_ptr<net::TlsServer> tls_;
    std::uint16_t port_ = 0;
    PlaceMark place_mark_;
    std::string state_key_;  // signs what clients carry for us

    // Torn down from the last to the first: connections, doors, broker, store, the store's thread.
    std::unique_ptr<LoopThread> store_thread_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<LoopBroker> broker_;
    std::unique_ptr<StoreKeeper> keeper_;
    std::unique_ptr<Nodes> nodes_;
    std::unique_ptr<Access> access_;
    std::unique_ptr<NativeDoor> native_;
    std::unique_ptr<ChatDoor> chat_;
    std::unique_ptr<OpenCodeDoor> opencode_;
    std::unique_ptr<ToolResultDoor> tool_result_;
    std::unique_ptr<TrpcDoor> trpc_;
    std::unique_ptr<Operations> operations_;
    std::unique_ptr<ClaudeHookDoor> claude_hooks_;
    std::unique_ptr<mcp::McpDoor> mcp_;
    std::unique_ptr<SignIn> sign_in_;
    std::vector<std::string> addresses_;  // of this machine, when every one is listened on
    bool has_own_name_ = false;           // the page's host is not everybody's (own_name.h)
    std::unique_ptr<LocalLink> notify_link_;
    std::unique_ptr<Notifier> notifier_;
    std::unique_ptr<LocalLink> demo_link_;
    std::unique_ptr<DemoHost> demo_host_;
    std::unique_ptr<LocalLink> watching_link_;
    std::unique_ptr<LocalLink> llm_link_;
    std::unique_ptr<LlmHost> llm_host_;
    JoinClaim codex_claim_;
    bool is_claim_told_ = false;  // that another has it
    std::unique_ptr<LocalLink> codex_link_;
    std::unique_ptr<CodexJoin> codex_;
    std::unique_ptr<LocalLink> log_link_;
    std::unique_ptr<AskLog> ask_log_;
    net::Router router_;
    std::unique_ptr<net::HttpServer> http_;
    Lifetime agents_may_start_;  // until it stops
    Lifetime alive_;
};

}  // namespace parley::app

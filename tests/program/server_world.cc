// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "parley/server.h"
#include "program/program_fixture.h"

namespace parley::program {

namespace {

class ServerWorld final : public ProgramWorld {
public:
    explicit ServerWorld(ProgramOptions options)
        : server_(
              std::move(*Server::open({.broker = {.resume = std::move(options.resume),
                                                  .on_problem = std::move(options.on_problem)}}))) {
    }

    AnyBroker& broker() override { return server_->broker(); }
    void drop() override { server_.reset(); }
    std::size_t rounds() const override { return 400; }

private:
    std::optional<Server> server_;
};

}  // namespace

std::unique_ptr<ProgramWorld> make_server_world(ProgramOptions options) {
    return std::make_unique<ServerWorld>(std::move(options));
}

}  // namespace parley::program

// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "door/door_fixture.h"
#include "parley/client.h"
#include "program/program_fixture.h"

namespace parley::program {

namespace {

class ClientWorld final : public ProgramWorld {
public:
    explicit ClientWorld(ProgramOptions options)
        : client_(std::move(*Client::connect({.server = "http://" + door_.host(),
                                              .token = "owner-secret",
                                              .resume = std::move(options.resume),
                                              .on_problem = std::move(options.on_problem)}))) {}

    AnyBroker& broker() override { return *client_; }
    void drop() override { client_.reset(); }
    // Enough for a watch to be paused (limits::kFollowFramesAtOnce).
    std::size_t rounds() const override { return 400; }

private:
    door_testing::DoorFixture door_;
    std::optional<Client> client_;
};

}  // namespace

std::unique_ptr<ProgramWorld> make_client_world(ProgramOptions options) {
    return std::make_unique<ClientWorld>(std::move(options));
}

}  // namespace parley::program

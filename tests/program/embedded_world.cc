// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "parley/broker.h"
#include "program/program_fixture.h"

namespace parley::program {

namespace {

class EmbeddedWorld final : public ProgramWorld {
public:
    explicit EmbeddedWorld(ProgramOptions options)
        : broker_(std::move(*Broker::open({.resume = std::move(options.resume),
                                           .on_problem = std::move(options.on_problem)}))) {}

    AnyBroker& broker() override { return *broker_; }
    void drop() override { broker_.reset(); }
    std::size_t rounds() const override { return 2000; }

private:
    std::optional<Broker> broker_;
};

}  // namespace

std::unique_ptr<ProgramWorld> make_embedded_world(ProgramOptions options) {
    return std::make_unique<EmbeddedWorld>(std::move(options));
}

}  // namespace parley::program

// SPDX-License-Identifier: Apache-2.0
#include "app/setup/model_check.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/limits.h"
#include "dialect/llm/models.h"
#include "dialect/llm/refusal.h"
#include "net/loop.h"
#include "wire/http_writer.h"

namespace parley::app {

namespace {

using Grade = Finding::Grade;
using Model = LlmServeOptions::Model;

constexpr std::string_view kSubject = "model";

void add(Findings& findings, Grade grade, std::string detail, std::string fix = {}) {
    findings.push_back({grade, std::string(kSubject), std::move(detail), std::move(fix)});
}

void check_key(const ModelServer::Options& server, Findings& findings) {
    if (server.key.empty()) return add(findings, Grade::good, "no key is sent");
    const std::string& source = server.key_source;
    // A file was read just now; a variable's name is none.
    struct stat status{};
    if (::stat(source.c_str(), &status) != 0)
        return add(findings, Grade::good,
                   fmt::format("the key is that of {}, as it is set here; the broker has the one "
                               "that it was started with",
                               source));
    add(findings, Grade::good, fmt::format("the key is that of {}", source));
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        add(findings, Grade::note, fmt::format("{} can be read by others", source),
            fmt::format("chmod 600 {}", source));
}

// Not every server has a list: one that answers at all is there.
void read_answer(const Model& model, const ModelServer& server, const net::ClientResponse& response,
                 Findings& findings) {
    const std::string address = server.address();
    const int status = response.status();
    constexpr int kOk = 200;
    const auto models = llm::read_models(response.body);
    if (status == kOk && models) {
        if (std::ranges::find(*models, model.profile.model) != models->end())
            return add(findings, Grade::good,
                       fmt::format("{} answers, and has {}", address, model.profile.model));
        return add(findings, Grade::note,
                   fmt::format("{} answers, and does not list {} among its {} models", address,
                               model.profile.model, models->size()),
                   "see whether llm.model is its name there; some names are not listed");
    }
    const llm::Refusal refusal = llm::read_refusal(status, response.body);
    const std::string why = server.without_key(fmt::format(
        "{} {}", status, refusal.message.empty() ? wire::reason_phrase(status) : refusal.message));
    if (status == 401 || status == 403)
        return add(findings, Grade::bad, fmt::format("{} refuses us: {}", address, why),
                   llm::fix_for(status, refusal, server.key_source()));
    if (refusal.is_passing)
        return add(findings, Grade::note, fmt::format("{} answers: {}", address, why),
                   "none needed if it passes: requests are made again");
    add(findings, Grade::note, fmt::format("{} answers, and gives no list of models", address),
        "none needed if llm.base_url and llm.api are right");
}

void check_server(const Model& model, Findings& findings) {
    net::Loop loop;
    auto server = ModelServer::create(loop, model.server);
    if (!server) return add(findings, Grade::bad, server.error().message);
    const auto call = (*server)->list_models(
        limits::kModelPatience, [&](const Result<net::ClientResponse>& response) {
            if (response) {
                read_answer(model, **server, *response, findings);
            } else {
                add(findings, Grade::bad,
                    fmt::format("{} does not answer: {}", (*server)->address(),
                                response.error().message),
                    "see whether it runs, and whether llm.base_url is its address");
            }
            loop.stop();
        });
    loop.run();
}

}  // namespace

std::vector<OptionSpec> ModelCheck::settings() {
    std::vector<OptionSpec> specs = options_.specs();
    specs.push_back({.names = "--agent",
                     .value = "NAME",
                     .help = "",
                     .target = &agent_,
                     .setting = "serve.agent"});
    return specs;
}

void ModelCheck::check(const RunContext& context, Findings& findings) const {
    const auto model = options_.read_model(context, agent_);
    if (!model)
        return add(findings, Grade::bad, model.error().message,
                   "as options of `parley serve`, or in the table [llm] of the configuration; "
                   "until then it does not start");
    if (!*model) {
        if (!options_.first_given().empty())
            add(findings, Grade::note,
                fmt::format("one is configured, and serve.agent = \"{}\": it serves no session",
                            agent_.value_or("")),
                "set serve.agent to \"llm\", if it shall");
        return;
    }
    const llm::ModelProfile& profile = (*model)->profile;
    add(findings, Grade::good,
        fmt::format("`parley serve` has {} for sessions without an agent, by the {} API at {}",
                    profile.model, llm::to_string(profile.api), profile.base_url));
    check_key((*model)->server, findings);
    check_server(**model, findings);
}

}  // namespace parley::app

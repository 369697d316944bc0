// SPDX-License-Identifier: Apache-2.0
#include "dialect/llm/models.h"

#include <utility>

#include "core/json_fields.h"

namespace parley::llm {

std::string models_path(Api api, std::string_view base_path) {
    const std::string path = request_path(api, base_path);
    const std::string version = path.starts_with("/v1/") ? "/v1" : "";
    // Anthropic's gives twenty otherwise.
    return version + (api == Api::anthropic ? "/models?limit=1000" : "/models");
}

Result<std::vector<std::string>> read_models(std::string_view body) {
    const auto document = json::parse(body);
    const json::Array* list = document ? json::list_field(*document, "data") : nullptr;
    if (list == nullptr)
        return reject(ErrorCode::invalid, "the server's list of models cannot be read");
    std::vector<std::string> names;
    for (const json::Value& model : *list)
        if (std::string name = json::text_field(model, "id"); !name.empty())
            names.push_back(std::move(name));
    return names;
}

}  // namespace parley::llm

// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/settings.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/json_fields.h"
#include "dialect/claude/permission.h"

namespace parley::claude {

namespace {

constexpr std::string_view kWords = " hook claude";

json::Value* member(json::Object& object, std::string_view name) {
    return object.if_contains(boost::json::string_view(name.data(), name.size()));
}

bool is_ours(const json::Value& hook) {
    return is_our_command(json::text_field(hook, "command"));
}

// An object's members in their order: Boost.JSON's own erase puts the last in the hole.
void erase_member(json::Object& object, std::string_view name) {
    json::Object kept(object.storage());
    for (auto& entry : object)
        if (json::key_of(entry) != name) kept.emplace(entry.key(), std::move(entry.value()));
    object = std::move(kept);
}

// Takes our hooks out of the groups of one event; true if no group is left.
bool empty_after_removal(json::Array& groups) {
    for (auto group = groups.begin(); group != groups.end();) {
        json::Object* object = group->if_object();
        json::Value* hooks = object != nullptr ? member(*object, "hooks") : nullptr;
        json::Array* list = hooks != nullptr ? hooks->if_array() : nullptr;
        bool had_ours = false;
        if (list != nullptr) {
            for (auto hook = list->begin(); hook != list->end();) {
                had_ours = had_ours || is_ours(*hook);
                hook = is_ours(*hook) ? list->erase(hook) : hook + 1;
            }
        }
        group = had_ours && list->empty() ? groups.erase(group) : group + 1;
    }
    return groups.empty();
}

Result<json::Object*> hooks_of(json::Object& settings) {
    json::Value* hooks = member(settings, "hooks");
    if (hooks == nullptr) return nullptr;
    if (!hooks->is_object())
        return reject(ErrorCode::invalid, "\"hooks\" is not an object; mend it by hand first");
    for (auto& event : hooks->get_object()) {
        if (!event.value().is_array())
            return reject(ErrorCode::invalid,
                          "the hooks for {} are not a list; mend them by hand first",
                          json::key_of(event));
    }
    return &hooks->get_object();
}

struct Place {
    std::string_view event;
    std::string_view matcher;  // empty: the event has none
};

std::vector<Place> places(const HookSetup& setup) {
    std::vector<Place> all;
    const std::string_view tools = setup.questions_only ? kAskTool : std::string_view("*");
    if (setup.before_dialog) {
        all.push_back({"PreToolUse", kAskTool});
        all.push_back({"PostToolUse", kAskTool});
    } else {
        all.push_back({"PermissionRequest", tools});
        all.push_back({"PostToolUse", tools});
    }
    all.push_back({"Elicitation", {}});
    all.push_back({"Notification", {}});
    return all;
}

json::Object group_of(const Place& place, const HookSetup& setup) {
    json::Object hook;
    hook["type"] = "command";
    hook["command"] = setup.command;
    hook["timeout"] = std::chrono::duration_cast<std::chrono::seconds>(setup.timeout).count();
    json::Object group;
    if (!place.matcher.empty()) group["matcher"] = std::string(place.matcher);
    group["hooks"] = json::Array{std::move(hook)};
    return group;
}

}  // namespace

bool is_our_command(std::string_view command) {
    const std::size_t words = command.find(kWords);
    return words != std::string_view::npos &&
           command.substr(0, words).find("parley") != std::string_view::npos;
}

Result<json::Value> without_hooks(json::Value settings) {
    if (!settings.is_object())
        return reject(ErrorCode::invalid, "the settings are not a JSON object");
    json::Object& object = settings.get_object();
    TRY(hooks, hooks_of(object));
    if (hooks == nullptr) return settings;
    const bool had_events = !hooks->empty();
    std::vector<std::string> emptied;
    for (auto& event : *hooks) {
        const bool had_groups = !event.value().get_array().empty();
        if (empty_after_removal(event.value().get_array()) && had_groups)
            emptied.emplace_back(json::key_of(event));
    }
    for (const std::string& event : emptied) erase_member(*hooks, event);
    if (had_events && hooks->empty()) erase_member(object, "hooks");
    return settings;
}

Result<json::Value> with_hooks(json::Value settings, const HookSetup& setup) {
    TRY(cleared, without_hooks(std::move(settings)));
    json::Object& object = cleared.get_object();
    if (member(object, "hooks") == nullptr) object["hooks"] = json::Object();
    json::Object& hooks = object["hooks"].get_object();
    for (const Place& place : places(setup)) {
        json::Value& groups =
            hooks[boost::json::string_view(place.event.data(), place.event.size())];
        if (!groups.is_array()) groups = json::Array();
        groups.get_array().push_back(group_of(place, setup));
    }
    return std::move(cleared);
}

std::vector<InstalledHook> find_hooks(const json::Value& settings) {
    std::vector<InstalledHook> found;
    const json::Object* events = json::field(settings, "hooks").if_object();
    if (events == nullptr) return found;
    for (const auto& event : *events) {
        const json::Array* groups = event.value().if_array();
        if (groups == nullptr) continue;
        for (const json::Value& group : *groups) {
            const json::Array* hooks = json::list_field(group, "hooks");
            if (hooks == nullptr) continue;
            for (const json::Value& hook : *hooks) {
                if (!is_ours(hook)) continue;
                found.push_back({.event = std::string(json::key_of(event)),
                                 .matcher = json::text_field(group, "matcher"),
                                 .command = json::text_field(hook, "command"),
                                 .has_timeout = !json::field(hook, "timeout").is_null()});
            }
        }
    }
    return found;
}

bool disables_hooks(const json::Value& settings) {
    return json::is_true(settings, "disableAllHooks");
}

}  // namespace parley::claude

// SPDX-License-Identifier: Apache-2.0
// The document says what the routes are, no more and no less, and what they answer with.
#include "door/native/openapi.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "door/door_fixture.h"

namespace parley::door_testing {
namespace {

using testing::IsEmpty;

json::Value parse_document() {
    return json::parse(native::openapi_document()).value();
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return out;
}

std::string_view word(int access) {
    switch (static_cast<Needs>(access)) {
        case Needs::asset: return "asset";
        case Needs::nothing: return "nothing";
        case Needs::token: return "token";
        case Needs::late_token: return "late token";
        case Needs::asker: return "asker";
        case Needs::responder: return "responder";
        case Needs::owner: return "owner";
    }
    return "?";
}

// As much of JSON Schema as the document uses. A property that a schema does not name is a fault
// here: it would be one that nobody has described.
class Validator {
public:
    explicit Validator(const json::Value& document) : document_(document) {}

    std::vector<std::string> check(const json::Value& value, std::string_view schema) {
        faults_.clear();
        walk(value, resolve(std::string("#/components/schemas/").append(schema)), "");
        return faults_;
    }

private:
    const json::Value& resolve(std::string_view ref) const {
        boost::json::error_code error;
        const json::Value* found = document_.find_pointer(ref.substr(1), error);
        if (found == nullptr) throw std::runtime_error("no " + std::string(ref));
        return *found;
    }

    void add(const std::string& at, std::string_view what) {
        faults_.push_back(fmt::format("{}: {}", at, what));
    }

    static bool is_of_type(const json::Value& value, std::string_view type) {
        if (type == "object") return value.is_object();
        if (type == "array") return value.is_array();
        if (type == "string") return value.is_string();
        if (type == "boolean") return value.is_bool();
        if (type == "null") return value.is_null();
        if (type == "integer") return value.is_int64() || value.is_uint64();
        return type == "number" && value.is_number();
    }

    void walk(const json::Value& value, const json::Value& schema_value, const std::string& at) {
        const json::Object& schema = schema_value.as_object();
        if (const auto* ref = schema.if_contains("$ref"))
            return walk(value, resolve(std::string(ref->as_string())), at);
        if (const auto* all = schema.if_contains("allOf"))
            for (const json::Value& one : all->as_array()) walk(value, one, at);
        if (const auto* one_of = schema.if_contains("oneOf"))
            check_one_of(value, one_of->as_array(), at);
        if (const auto* constant = schema.if_contains("const"))
            if (value != *constant) add(at, "is not the constant");
        if (const auto* names = schema.if_contains("enum"))
            if (std::ranges::find(names->as_array(), value) == names->as_array().end())
                add(at, "is none of the names");
        if (const auto* type = schema.if_contains("type")) check_type(value, *type, at);
        if (const auto* pattern = schema.if_contains("pattern"); pattern && value.is_string()) {
            if (!std::regex_search(std::string(value.as_string()),
                                   std::regex(std::string(pattern->as_string()))))
                add(at, "does not match");
        }
        if (value.is_object()) check_object(value.get_object(), schema, at);
        if (const auto* items = schema.if_contains("items"); items && value.is_array()) {
            for (std::size_t i = 0; i < value.get_array().size(); ++i)
                walk(value.get_array()[i], *items, fmt::format("{}/{}", at, i));
        }
    }

    void check_type(const json::Value& value, const json::Value& type, const std::string& at) {
        const bool fits = type.is_array()
                              ? std::ranges::any_of(type.get_array(),
                                                    [&](const json::Value& one) {
                                                        return is_of_type(value, one.as_string());
                                                    })
                              : is_of_type(value, type.as_string());
        if (!fits) add(at, "is of another type");
    }

    void check_one_of(const json::Value& value, const json::Array& choices, const std::string& at) {
        std::size_t matches = 0;
        for (const json::Value& choice : choices) {
            Validator inner(document_);
            inner.walk(value, choice, at);
            if (inner.faults_.empty()) ++matches;
        }
        if (matches != 1)
            add(at, fmt::format("matches {} choices: {}", matches, json::serialize(value)));
    }

    void check_object(const json::Object& value, const json::Object& schema,
                      const std::string& at) {
        if (const auto* required = schema.if_contains("required"))
            for (const json::Value& name : required->as_array())
                if (!value.contains(name.as_string()))
                    add(at, fmt::format("lacks {}", std::string(name.as_string())));
        const auto* properties = schema.if_contains("properties");
        if (properties == nullptr) return;
        for (const auto& member : value) {
            const std::string place = fmt::format("{}/{}", at, std::string(member.key()));
            if (const auto* property = properties->as_object().if_contains(member.key())) {
                walk(member.value(), *property, place);
            } else {
                add(place, "is described nowhere");
            }
        }
    }

    const json::Value& document_;
    std::vector<std::string> faults_;
};

void collect_refs(const json::Value& value, std::set<std::string>& refs) {
    if (value.is_array())
        for (const json::Value& item : value.get_array()) collect_refs(item, refs);
    if (!value.is_object()) return;
    for (const auto& member : value.get_object()) {
        if (member.key() == "$ref") refs.insert(std::string(member.value().as_string()));
        collect_refs(member.value(), refs);
    }
}

TEST(OpenApi, IsServedToEveryoneAsItWasWritten) {
    DoorFixture fixture;
    const Reply reply =
        fixture.with_lines("Host: " + fixture.host() + "\r\n").get("/v1/openapi.json");
    EXPECT_EQ(reply.status(), 200);
    EXPECT_EQ(reply.header("content-type"), "application/json");
    EXPECT_EQ(reply.body, native::openapi_document());
    EXPECT_EQ(reply.text("/openapi"), "3.1.0");
}

TEST(OpenApi, DescribesEveryRouteWithItsAccessAndNoneBesides) {
    DoorFixture fixture;
    std::set<std::string> served;
    for (const auto& route : fixture.router().routes())
        served.insert(fmt::format("{} {} {}", lower(wire::to_string(route.method)), route.pattern,
                                  word(route.access)));
    std::set<std::string> described;
    const json::Value document = parse_document();
    for (const auto& path : document.at("paths").as_object()) {
        for (const auto& operation : path.value().as_object())
            described.insert(fmt::format("{} {} {}", std::string(operation.key()),
                                         std::string(path.key()),
                                         text_at(operation.value(), "/x-parley-access")));
    }
    EXPECT_EQ(described, served);
}

TEST(OpenApi, HoldsTogether) {
    const json::Value document = parse_document();
    std::set<std::string> refs;
    collect_refs(document, refs);
    for (const std::string& ref : refs) {
        boost::json::error_code error;
        EXPECT_NE(document.find_pointer(ref.substr(1), error), nullptr) << ref;
    }
    for (const auto* kind : {"schemas", "parameters", "responses"})
        for (const auto& part : document.at("components").at(kind).as_object())
            EXPECT_TRUE(
                refs.contains(fmt::format("#/components/{}/{}", kind, std::string(part.key()))))
                << "unused: " << part.key();
    std::set<std::string> ids;
    for (const auto& path : document.at("paths").as_object()) {
        for (const auto& operation : path.value().as_object()) {
            EXPECT_TRUE(ids.insert(text_at(operation.value(), "/operationId")).second);
            const bool is_open = text_at(operation.value(), "/x-parley-access") == "nothing";
            EXPECT_EQ(operation.value().as_object().contains("security"), is_open);
        }
    }
}

// What any JSON may be is said so; all else has a shape that a client can be made from.
TEST(OpenApi, EveryMemberHasAShape) {
    static constexpr auto kShapes = {"type", "$ref", "oneOf", "allOf", "enum", "const"};
    std::vector<std::string> shapeless;
    std::vector<std::pair<std::string, const json::Value*>> places;
    const json::Value document = parse_document();
    places.emplace_back("", &document.at("components").at("schemas"));
    while (!places.empty()) {
        const auto [at, value] = places.back();
        places.pop_back();
        if (value->is_array())
            for (const json::Value& item : value->get_array()) places.emplace_back(at, &item);
        if (!value->is_object()) continue;
        for (const auto& member : value->get_object()) {
            const std::string place = fmt::format("{}/{}", at, std::string(member.key()));
            places.emplace_back(place, &member.value());
            if (!at.ends_with("/properties")) continue;
            const json::Object& schema = member.value().as_object();
            if (std::ranges::none_of(kShapes, [&](auto* shape) { return schema.contains(shape); }))
                shapeless.push_back(place);
            if (schema.contains("type") && schema.at("type") == "array")
                EXPECT_TRUE(schema.contains("items")) << place;
        }
    }
    EXPECT_THAT(shapeless, testing::UnorderedElementsAre("/PermissionRequest/properties/input",
                                                         "/Permission/properties/input",
                                                         "/StreamEvent/oneOf/properties/input",
                                                         "/StreamEvent/oneOf/properties/output"));
}

class OpenApiAnswers : public testing::Test {
protected:
    void expect_valid(const json::Value& value, std::string_view schema) {
        EXPECT_THAT(validator_.check(value, schema), IsEmpty()) << json::serialize(value);
    }
    void expect_valid(const Reply& reply, int status, std::string_view schema) {
        EXPECT_EQ(reply.status(), status);
        expect_valid(reply.json(), schema);
    }

    json::Value document_ = parse_document();
    Validator validator_{document_};
    DoorFixture fixture_;
    Api bot_ = fixture_.as("bot");
    Api ada_ = fixture_.as("ada");
    Api owner_ = fixture_.as("owner");
};

constexpr std::string_view kFullAsk =
    R"({"questions":[{"question":"Q?","header":"H","options":[{"label":"A","description":"d",)"
    R"("preview":"p"},"B"],"multi_select":true},{"question":"R?"}],"session":"chat","key":"k",)"
    R"("timeout_seconds":60,"on_timeout":{"default":[{"selected":["A"]},{"selected":[],)"
    R"("other":"o"}]},"dismissible":false,"urgency":"low","tool":{"message_id":"m","call_id":"c"},)"
    R"("permission":{"tool":"Edit","input":{"file_path":"a","old_string":"x","new_string":"y"},)"
    R"("plan":"p"},"agent":"a","context":"c"})";
constexpr std::string_view kFullAnswer =
    R"({"answers":[{"selected":["A"],"note":"n"},{"selected":[],"other":"o"}],"by":"Ada"})";

TEST_F(OpenApiAnswers, DocumentsAreAsDescribed) {
    expect_valid(json::parse(kFullAsk).value(), "AskRequest");
    const Reply made = bot_.post("/v1/asks", kFullAsk);
    expect_valid(made, 201, "Ask");
    const std::string path = "/v1/asks/" + made.text("/id");
    constexpr std::string_view kDraft =
        R"({"answers":[{"selected":["A"],"note":"n"}],"device":"desk","version":0})";
    expect_valid(json::parse(kDraft).value(), "DraftRequest");
    expect_valid(ada_.put(path + "/draft", kDraft), 200, "Draft");
    expect_valid(ada_.put(path + "/draft", R"({"answers":[{}],"version":0})"), 409, "Problem");
    expect_valid(ada_.get(path + "/draft"), 200, "Draft");
    expect_valid(ada_.get("/v1/drafts"), 200, "DraftPage");
    expect_valid(ada_.get("/v1/self"), 200, "Self");
    expect_valid(fixture_.local().get("/v1/self"), 200, "Self");
    expect_valid(ada_.get("/v1/server"), 200, "Server");
    expect_valid(json::parse(kFullAnswer).value(), "AnswerRequest");
    expect_valid(ada_.post(path + "/answer", kFullAnswer), 200, "Ask");
    expect_valid(ada_.post(path + "/answer", kFullAnswer), 200, "Ask");
    expect_valid(owner_.post(path + "/answer", kFullAnswer), 409, "Problem");
    expect_valid(ada_.get("/v1/asks?session=chat"), 200, "AskPage");
    expect_valid(bot_.post("/v1/sessions", R"({"name":"s","title":"t","agent":"a"})"), 201,
                 "Session");
    expect_valid(ada_.get("/v1/sessions?limit=1"), 200, "SessionPage");
    expect_valid(ada_.post("/v1/sessions/s/messages", R"({"text":"hi"})"), 202, "Said");
    expect_valid(bot_.get("/v1/sessions/s/messages"), 200, "MessagePage");
    expect_valid(bot_.post("/v1/notices", R"({"text":"hi"})"), 202, "Accepted");
    expect_valid(bot_.del("/v1/sessions/s"), 200, "Session");
    expect_valid(owner_.post("/v1/tokens", R"({"name":"t","expires_in_seconds":9})"), 201, "Token");
    expect_valid(owner_.post("/v1/tokens/t/rotate", ""), 201, "Token");
    expect_valid(owner_.get("/v1/tokens"), 200, "TokenPage");
}

TEST_F(OpenApiAnswers, AsksAreUnderstoodInEachFormThatIsDescribed) {
    for (const std::string_view body : {
             R"({"questions":[{"question":"Q?"}]})",
             R"({"questions":{"question":"Q?","options":["A",{"label":"B","preview":"p"}]}})",
             R"({"questions":"[{\"question\":\"Q?\"}]","session":"s"})",
             R"({"question":"Q?","header":"H","options":["A"],"multiSelect":true,"key":"k"})",
             R"({"question":"Q?","multiple":false,"custom":true,"urgency":"high"})",
             R"({"questions":[{"question":"Q?","kind":"choice"}]})",
             R"([{"question":"Q?","multi_select":false},{"question":"R?"}])",
             R"("{\"question\":\"Q?\"}")",
         }) {
        expect_valid(json::parse(body).value(), "AskBody");
        EXPECT_EQ(bot_.post("/v1/asks", body).status(), 201) << body;
    }
    for (const std::string_view body : {
             R"({"questions":[{"header":"H"}]})",
             R"({"questions":[{"question":"Q?","options":[{"description":"d"}]}]})",
             R"({"questions":[{"question":"Q?","titel":"x"}]})",
             R"({"questions":[{"question":"Q?","kind":"riddle"}]})",
             R"({"question":"Q?","questions":[{"question":"R?"}],"x":1})",
         }) {
        EXPECT_FALSE(validator_.check(json::parse(body).value(), "AskBody").empty()) << body;
        EXPECT_EQ(bot_.post("/v1/asks", body).status(), 400) << body;
    }
}

TEST_F(OpenApiAnswers, ProblemsAreAsDescribed) {
    Api nobody = fixture_.with_lines("Host: " + fixture_.host() + "\r\n");
    expect_valid(nobody.get("/v1/asks"), 401, "Problem");
    expect_valid(bot_.get("/v1/tokens"), 403, "Problem");
    expect_valid(ada_.get("/v1/sessions/nobody"), 404, "Problem");
    expect_valid(ada_.get("/v1/elsewhere"), 404, "Problem");
    expect_valid(ada_.call("DELETE", "/v1/asks", {}), 405, "Problem");
    expect_valid(bot_.post("/v1/asks", "{}"), 400, "Problem");
}

TEST_F(OpenApiAnswers, EventsAreAsDescribed) {
    Api local = fixture_.local();
    const std::string first = local.ask("chat");
    EventReader reader(local, "?session=chat", "1");
    std::vector<StreamedEvent> events = reader.read_to("snapshot.end");
    local.put("/v1/asks/" + first + "/draft", R"({"answers":[{"selected":["Tea"]}]})");
    local.del("/v1/asks/" + first + "/draft");
    local.post("/v1/asks/" + first + "/snooze", R"({"seconds":60})");
    local.post("/v1/asks/" + first + "/snooze", R"({"seconds":0})");
    local.post("/v1/asks/" + first + "/answer", R"({"answers":[{"selected":["Tea"]}]})");
    const Reply said = local.post("/v1/sessions/chat/messages", R"({"text":"hi"})");
    local.post("/v1/sessions/chat/messages/taken",
               fmt::format(R"({{"up_to":"{}"}})", said.text("/id")));
    local.post("/v1/notices", R"({"text":"hi","session":"chat"})");
    local.post("/v1/sessions/chat/events",
               R"([{"type":"status","status":"working"},{"type":"text-start","part_id":"p"},)"
               R"({"type":"text-delta","part_id":"p","text":"x"},)"
               R"({"type":"text-delta","part_id":"p","text":"y","replace":true},)"
               R"({"type":"text-end","part_id":"p"},)"
               R"({"type":"tool-input-start","call_id":"c","tool":"t"},)"
               R"({"type":"tool-input-delta","call_id":"c","text":"{}"},)"
               R"({"type":"tool-input-available","call_id":"c","input":{"a":1}},)"
               R"({"type":"tool-output","call_id":"c","output":[1],"error":true},)"
               R"({"type":"tool-input-error","call_id":"d","error":"bad"},)"
               R"({"type":"finish","reason":"stop"}])");
    local.call("DELETE", "/v1/sessions/chat", R"({"reason":"done"})");
    for (StreamedEvent& event : reader.read_to("session.ended")) events.push_back(std::move(event));

    std::set<std::string> seen;
    for (const StreamedEvent& event : events) {
        seen.insert(event.type);
        EXPECT_EQ(event.text("/type"), event.type);
        expect_valid(event.data, "Event");
    }
    EXPECT_EQ(seen,
              (std::set<std::string>{"reset", "ask.opened", "snapshot.end", "ask.draft",
                                     "ask.snoozed", "ask.settled", "session.message", "notice",
                                     "session.status", "session.part", "session.ended"}));
}

}  // namespace
}  // namespace parley::door_testing

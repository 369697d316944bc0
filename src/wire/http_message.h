// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 messages as they were read: the start line and the header fields are views into one
// block of text that the message owns, so a message costs one copy of its head. Values only; what
// may be believed about them is decided by whoever reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::wire {

enum class Method : std::uint8_t { get, head, post, put, patch, del, options, other };

std::string_view to_string(Method method);
Method method_from(std::string_view text);  // case-sensitive, as HTTP is; unknown is `other`

// ASCII only, as header names and tokens are.
bool equals_ignoring_case(std::string_view a, std::string_view b);

struct Field {
    std::string_view name;
    std::string_view value;
};

// The fields of one head, in the order received. Views stay valid as long as the owner is neither
// changed nor destroyed.
class Fields {
public:
    std::size_t size() const { return places_.size(); }
    Field at(std::size_t index) const;
    // The first field of that name.
    std::optional<std::string_view> find(std::string_view name) const;
    // "" when there is none; for fields where absent and empty mean the same.
    std::string_view get(std::string_view name) const { return find(name).value_or(""); }
    std::size_t count(std::string_view name) const;
    // All values of that name joined with ", ", as HTTP lets a list be split over fields.
    std::string joined(std::string_view name) const;

private:
    friend class HeadReader;
    struct Place {
        std::uint32_t name = 0;
        std::uint32_t name_bytes = 0;
        std::uint32_t value = 0;
        std::uint32_t value_bytes = 0;
    };
    std::string text_;  // the whole head as received
    std::vector<Place> places_;
};

struct Request {
    Method method = Method::get;
    std::string method_text;  // as sent; for `other`
    std::string target;       // as sent, never decoded here
    int minor_version = 1;    // HTTP/1.x
    Fields fields;
    std::string body;
    std::optional<std::uint64_t> content_length;
    bool chunked = false;
    bool keep_alive = true;  // what the peer asked for, by version and Connection
    bool expects_continue = false;
    bool wants_upgrade = false;  // Connection: upgrade, and an Upgrade field
};

struct ResponseHead {
    int status = 0;
    int minor_version = 1;
    std::string reason;
    Fields fields;
    std::optional<std::uint64_t> content_length;
    bool chunked = false;
    bool keep_alive = true;
};

}  // namespace parley::wire

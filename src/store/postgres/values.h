// SPDX-License-Identifier: Apache-2.0
// C++ values as PostgreSQL's binary parameters. Text of any kind is bytea: it may hold what no
// database encoding takes, and it is compared byte by byte. Internal to the PostgreSQL engine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parley/ids.h"
#include "parley/values.h"

namespace parley::postgres {

// As pg_type numbers them, for all time.
enum class TypeOid : std::uint32_t {
    bytea = 17,
    int8 = 20,
    uuid = 2950,
    bytea_array = 1001,
    int8_array = 1016,
    uuid_array = 2951,
};

// A number in network order.
template <class Number>
inline void append_number(std::string& out, Number number) {
    for (int shift = static_cast<int>(sizeof(Number) * 8) - 8; shift >= 0; shift -= 8)
        out.push_back(static_cast<char>((number >> shift) & 0xff));
}

class Array;

// One parameter. Text and arrays must outlive it.
class Value {
public:
    explicit Value(std::uint64_t number) : type_(TypeOid::int8), length_(8) {
        for (std::size_t i = 0; i < 8; ++i) small_[i] = byte_of(number, i);
    }
    explicit Value(std::int64_t number) : Value(static_cast<std::uint64_t>(number)) {}
    explicit Value(int number) : Value(static_cast<std::int64_t>(number)) {}
    explicit Value(Cursor cursor) : Value(cursor.value) {}
    explicit Value(Instant at) : Value(std::int64_t{at.time_since_epoch().count()}) {}
    explicit Value(std::string_view text)
        : type_(TypeOid::bytea), outside_(text.empty() ? "" : text.data()), length_(text.size()) {}
    explicit Value(const Array& array);
    template <class Kind>
    explicit Value(Id<Kind> id) : type_(TypeOid::uuid), length_(16) {
        for (std::size_t i = 0; i < 8; ++i) {
            small_[i] = byte_of(id.bits().high, i);
            small_[i + 8] = byte_of(id.bits().low, i);
        }
    }
    template <class T>
    explicit Value(const std::optional<T>& value) : Value(value ? *value : T{}) {
        is_null_ = !value;
    }

    TypeOid type() const { return type_; }
    int length() const { return static_cast<int>(length_); }
    // Null for NULL.
    const char* data() const {
        if (is_null_) return nullptr;
        return outside_ != nullptr ? outside_ : small_.data();
    }

private:
    static char byte_of(std::uint64_t number, std::size_t index) {
        return static_cast<char>((number >> (56 - 8 * index)) & 0xff);
    }

    TypeOid type_;
    const char* outside_ = nullptr;
    std::size_t length_;
    bool is_null_ = false;
    std::array<char, 16> small_ = {};
};

// One-dimensional, of one type.
class Array {
public:
    static Array of_numbers() { return Array(TypeOid::int8_array, TypeOid::int8); }
    static Array of_ids() { return Array(TypeOid::uuid_array, TypeOid::uuid); }
    static Array of_texts() { return Array(TypeOid::bytea_array, TypeOid::bytea); }

    template <class T>
    void add(const T& element) {
        const Value value(element);
        const bool is_null = value.data() == nullptr;
        append_number(bytes_,
                      is_null ? ~std::uint32_t{0} : static_cast<std::uint32_t>(value.length()));
        if (!is_null) bytes_.append(value.data(), static_cast<std::size_t>(value.length()));
        ++count_;
        std::string count;
        append_number(count, count_);
        bytes_.replace(kCountAt, count.size(), count);
    }
    std::uint32_t count() const { return count_; }
    bool is_empty() const { return count_ == 0; }

private:
    friend class Value;
    static constexpr std::size_t kCountAt = 12;

    Array(TypeOid type, TypeOid element) : type_(type) {
        append_number(bytes_, std::uint32_t{1});  // dimensions
        append_number(bytes_, std::uint32_t{1});  // may hold NULL
        append_number(bytes_, static_cast<std::uint32_t>(element));
        append_number(bytes_, std::uint32_t{0});  // elements
        append_number(bytes_, std::uint32_t{1});  // the first one's number
    }

    TypeOid type_;
    std::uint32_t count_ = 0;
    std::string bytes_;
};

inline Value::Value(const Array& array)
    : type_(array.type_), outside_(array.bytes_.data()), length_(array.bytes_.size()) {}

}  // namespace parley::postgres

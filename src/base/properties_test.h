// SPDX-License-Identifier: Apache-2.0
// RapidCheck for property tests, with what nearly all of them use of its templates compiled once,
// in properties_test.cc: instantiated in every test again, it is most of what a test costs to
// compile.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

extern template void rc::detail::checkGTest<void (*)()>(void (*&&)());
extern template void rc::detail::checkGTest<void (*)(const std::string&)>(
    void (*&&)(const std::string&));

extern template class rc::Gen<bool>;
extern template class rc::Gen<int>;
extern template class rc::Gen<std::int64_t>;
extern template class rc::Gen<std::uint64_t>;
extern template class rc::Gen<std::string>;
extern template class rc::Gen<std::optional<std::string>>;
extern template class rc::Gen<std::vector<std::size_t>>;
extern template class rc::Gen<std::vector<std::string>>;

namespace rc::gen {

extern template Gen<bool> arbitrary<bool>();
extern template Gen<std::uint64_t> arbitrary<std::uint64_t>();
extern template Gen<int> inRange<int>(int, int);
extern template Gen<std::int64_t> inRange<std::int64_t>(std::int64_t, std::int64_t);
extern template Gen<std::uint64_t> inRange<std::uint64_t>(std::uint64_t, std::uint64_t);
extern template Gen<std::string> elementOf<const std::vector<std::string>&>(
    const std::vector<std::string>&);
extern template Gen<std::vector<std::size_t>> container<std::vector<std::size_t>, std::size_t>(
    Gen<std::size_t>);
extern template Gen<std::vector<std::string>> container<std::vector<std::string>, std::string>(
    Gen<std::string>);

}  // namespace rc::gen

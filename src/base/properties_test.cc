// SPDX-License-Identifier: Apache-2.0
#include "base/properties_test.h"

template void rc::detail::checkGTest<void (*)()>(void (*&&)());
template void rc::detail::checkGTest<void (*)(const std::string&)>(void (*&&)(const std::string&));

template class rc::Gen<bool>;
template class rc::Gen<int>;
template class rc::Gen<std::int64_t>;
template class rc::Gen<std::uint64_t>;
template class rc::Gen<std::string>;
template class rc::Gen<std::optional<std::string>>;
template class rc::Gen<std::vector<std::size_t>>;
template class rc::Gen<std::vector<std::string>>;

namespace rc::gen {

template Gen<bool> arbitrary<bool>();
template Gen<std::uint64_t> arbitrary<std::uint64_t>();
template Gen<int> inRange<int>(int, int);
template Gen<std::int64_t> inRange<std::int64_t>(std::int64_t, std::int64_t);
template Gen<std::uint64_t> inRange<std::uint64_t>(std::uint64_t, std::uint64_t);
template Gen<std::string> elementOf<const std::vector<std::string>&>(
    const std::vector<std::string>&);
template Gen<std::vector<std::size_t>> container<std::vector<std::size_t>, std::size_t>(
    Gen<std::size_t>);
template Gen<std::vector<std::string>> container<std::vector<std::string>, std::string>(
    Gen<std::string>);

}  // namespace rc::gen

// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/qr_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace parley::app {
namespace {

TEST(QrText, IsASquareWithAQuietEdge) {
    const std::string drawn =
        qr_text("http://127.0.0.1:7373/?token=abc", {.columns = 80, .charset = Charset::ascii});
    const auto lines = std::count(drawn.begin(), drawn.end(), '\n');
    const std::string first = drawn.substr(0, drawn.find('\n'));
    EXPECT_EQ(static_cast<std::ptrdiff_t>(first.size()), 2 * lines);
    EXPECT_EQ(first.find(' '), std::string::npos);
    // The finder pattern begins after the edge.
    EXPECT_NE(drawn.find("\n####  "), std::string::npos);
}

TEST(QrText, WhatIsTooLongIsNotDrawn) {
    EXPECT_EQ(qr_text(std::string(10'000, 'x'), {}), "");
}

TEST(QrText, WhatIsWiderThanTheTerminalIsNotDrawn) {
    const std::string address = "http://127.0.0.1:7373/?token=abc";
    const std::string drawn = qr_text(address, {.columns = 80});
    const auto rows = static_cast<int>(std::count(drawn.begin(), drawn.end(), '\n'));
    EXPECT_EQ(qr_text(address, {.columns = 2 * rows}), drawn);
    EXPECT_EQ(qr_text(address, {.columns = 2 * rows - 3}), "");
}

}  // namespace
}  // namespace parley::app

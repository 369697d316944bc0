// SPDX-License-Identifier: Apache-2.0
#include "store/archive/lines.h"

#include <gtest/gtest.h>

namespace parley {
namespace {

TEST(ExportLines, AreReadBack) {
    const std::string token =
        R"({"type":"token","name":"ci\u0000bot","role":"agent","hash":"ab","created_ms":5,)"
        R"("expires_ms":9,"principal":"p","person":"","device":"","used_ms":7})";
    const auto line = read_line(token);
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(to_line(std::get<ArchiveRow>(*line)), token);
    const ArchiveBounds bounds{.oldest = {1'700'000'000'000'000}, .head = {1'700'000'000'000'009}};
    EXPECT_EQ(std::get<ArchiveBounds>(read_line(to_line(bounds)).value()), bounds);
    ArchiveCounts counts;
    counts.of = {1, 2, 3, 4, 5, 6, 7};
    EXPECT_EQ(std::get<ArchiveCounts>(read_line(to_line(counts)).value()), counts);
}

TEST(ExportLines, SayWhatIsWrong) {
    const auto error = [](std::string_view text) {
        const auto line = read_line(text);
        return line ? "taken" : line.error().message;
    };
    EXPECT_EQ(error("[]"), " expected one JSON object in a line, not a list");
    EXPECT_EQ(error(R"({"type":"asks"})"), R"(/type "asks" is no kind of row)");
    EXPECT_EQ(error(R"({"type":"snooze","ask":"que_1","principal":"a","until_ms":1})"),
              R"(/ask "que_1" is no id)");
    EXPECT_EQ(error(R"({"type":"event","cursor":-1,"event":1,"at_ms":1})"),
              "/cursor expected a whole number");
    EXPECT_EQ(error(R"({"type":"parley-export","format":1,"oldest":1})"),
              "/head expected a whole number");
}

}  // namespace
}  // namespace parley

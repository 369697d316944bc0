// SPDX-License-Identifier: Apache-2.0
#include "core/object_reader.h"

#include <gtest/gtest.h>

#include "core/questions.h"

namespace parley {
namespace {

TEST(ObjectReader, TellsWhatIsNotKnownAsItsReaderWants) {
    const json::Value value = json::parse(R"({"titel":1,"name":"x","A/b":null})").value();
    const json::Path root;
    const auto read = [&](Unknown unknown) {
        Faults faults(unknown);
        ObjectReader(value, root, faults).only({"name", "title"});
        return faults;
    };
    const Faults refused = read(Unknown::refused);
    ASSERT_EQ(refused.list().size(), 2U);
    EXPECT_EQ(refused.list()[0].path, "/titel");
    EXPECT_EQ(refused.list()[0].detail, "\"titel\" is not known here; did you mean \"title\"?");
    EXPECT_EQ(refused.list()[1].path, "/A~1b");
    const Faults noted = read(Unknown::noted);
    EXPECT_TRUE(noted.empty());
    EXPECT_EQ(noted.warnings(), refused.list());
    EXPECT_TRUE(read(Unknown::passed_over).warnings().empty());
}

TEST(ObjectReader, QuestionsOfAModelAreAskedWithoutWhatIsNotKnown) {
    std::vector<Fault> warnings;
    const auto questions = read_questions(
        json::parse(R"({"questions":[{"question":"Q?","colour":"red","options":["A",)"
                    R"({"label":"B","icon":"b"}]}]})")
            .value(),
        kStrictProfile, {}, &warnings);
    ASSERT_TRUE(questions) << questions.error().message;
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_EQ(warnings[0].path, "/questions/0/colour");
    EXPECT_EQ(warnings[1].path, "/questions/0/options/1/icon");
}

}  // namespace
}  // namespace parley

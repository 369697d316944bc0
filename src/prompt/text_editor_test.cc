// SPDX-License-Identifier: Apache-2.0
#include "prompt/text_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/properties_test.h"
#include "core/limits.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {
namespace {

using Code = Key::Code;
using testing::ElementsAre;

void type(TextEditor& editor, std::string_view text) {
    while (!text.empty()) {
        const std::size_t bytes = utf8::next(text).bytes;
        editor.press({.text = std::string(text.substr(0, bytes))});
        text.remove_prefix(bytes);
    }
}
const Key kUndo = {.text = "_", .is_ctrl = true};
const Key kRedo = {.text = "y", .is_ctrl = true};

TEST(TextEditor, CharactersAreWholeClusters) {
    TextEditor editor;
    type(editor, "e\u0301界👍🏽");
    editor.press({.code = Code::backspace});
    EXPECT_EQ(editor.text(), "e\u0301界");
    editor.press({.code = Code::left});
    editor.press({.code = Code::left});
    EXPECT_EQ(editor.cursor(), 0U);
    editor.press({.code = Code::del});
    EXPECT_EQ(editor.text(), "界");
}

TEST(TextEditor, LinesAndWords) {
    TextEditor editor;
    type(editor, "one two");
    editor.press({.code = Code::enter, .is_alt = true});
    type(editor, "three");
    EXPECT_EQ(editor.text(), "one two\nthree");
    EXPECT_FALSE(editor.press({.code = Code::enter})) << "Enter is its owner's";
    editor.press({.code = Code::up});
    EXPECT_EQ(editor.cursor(), 5U);
    editor.press({.code = Code::left, .is_ctrl = true});
    EXPECT_EQ(editor.cursor(), 4U);
    editor.press({.text = "b", .is_alt = true});
    EXPECT_EQ(editor.cursor(), 0U);
    editor.press({.code = Code::end});
    editor.press({.text = "w", .is_ctrl = true});
    EXPECT_EQ(editor.text(), "one \nthree");
    editor.press({.code = Code::down});
    EXPECT_EQ(editor.cursor(), 9U);
    editor.press({.text = "u", .is_ctrl = true});
    EXPECT_EQ(editor.text(), "one \ne");
    editor.press({.text = "a", .is_ctrl = true});
    editor.press({.text = "k", .is_ctrl = true});
    EXPECT_EQ(editor.text(), "one \n");
}

TEST(TextEditor, AWordIsUndoneAtOnceAndComesBack) {
    TextEditor editor;
    type(editor, "one two");
    editor.press(kUndo);
    EXPECT_EQ(editor.text(), "one ");
    editor.press(kUndo);
    EXPECT_EQ(editor.text(), "one");
    editor.press(kRedo);
    editor.press(kRedo);
    EXPECT_EQ(editor.text(), "one two");
    editor.press({.code = Code::paste, .text = "X\r\nY"});
    EXPECT_EQ(editor.text(), "one twoX\nY");
    editor.press(kUndo);
    EXPECT_EQ(editor.text(), "one two");
    editor.replace("anew");
    editor.press(kUndo);
    EXPECT_EQ(editor.text(), "one two");
}

TEST(TextEditor, OneLineStaysOneLine) {
    TextEditor editor(TextEditor::Lines::one);
    editor.press({.code = Code::paste, .text = "a\nb"});
    EXPECT_EQ(editor.text(), "a b");
    EXPECT_FALSE(editor.press({.code = Code::enter, .is_alt = true}));
}

TEST(TextEditor, TheLimitIsKeptInWholeCharacters) {
    TextEditor editor;
    editor.insert(std::string(limits::kAnswerTextBytes - 1, 'x'));
    editor.insert("界y");
    EXPECT_EQ(editor.text().size(), limits::kAnswerTextBytes - 1);
    editor.insert("y");
    EXPECT_EQ(editor.text().size(), limits::kAnswerTextBytes);
}

TEST(TextEditor, IsLaidOutInLinesWithItsCursor) {
    TextEditor editor;
    type(editor, "aaa bbb ccc");
    EditorLayout layout = lay_out(editor, 8, Charset::utf8);
    EXPECT_THAT(layout.lines, ElementsAre("aaa bbb ", "ccc"));
    EXPECT_EQ(layout.cursor, (Position{1, 3}));
    editor.press({.code = Code::home});
    editor.press({.code = Code::paste, .text = "\x1b\u202e"});
    layout = lay_out(editor, 40, Charset::utf8);
    EXPECT_THAT(layout.lines, ElementsAre("\\x1b\\u{202e}aaa bbb ccc")) << "nothing in it acts";
    EXPECT_EQ(layout.cursor, (Position{0, 12}));
}

TEST(TextEditor, APasteInPiecesIsOneStep) {
    TextEditor editor;
    type(editor, "a");
    for (int i = 0; i < 100; ++i) editor.press({.code = Code::paste, .text = "piece "});
    EXPECT_EQ(editor.text().size(), 601u);
    editor.press(kUndo);
    EXPECT_EQ(editor.text(), "a");
}

TEST(TextEditor, InAsciiTooItIsReadable) {
    TextEditor editor;
    type(editor, "→ é");
    EXPECT_THAT(lay_out(editor, 40, Charset::ascii).lines, ElementsAre("-> \\u{e9}"));
}

RC_GTEST_PROP(TextEditorProperty, AnyKeysLeaveAValidTextAndACursorOnACluster, ()) {
    TextEditor editor;
    const auto keys = *rc::gen::container<std::vector<Key>>(
        rc::gen::elementOf(std::vector<Key>{{.text = "a"},
                                            {.text = " "},
                                            {.text = "界"},
                                            {.text = "\u0301"},
                                            {.text = "👍"},
                                            {.text = "🏽"},
                                            {.code = Code::enter, .is_alt = true},
                                            {.code = Code::left},
                                            {.code = Code::right},
                                            {.code = Code::up},
                                            {.code = Code::down},
                                            {.code = Code::home},
                                            {.code = Code::end},
                                            {.code = Code::backspace},
                                            {.code = Code::del},
                                            {.code = Code::left, .is_alt = true},
                                            {.code = Code::right, .is_alt = true},
                                            {.text = "w", .is_ctrl = true},
                                            {.text = "k", .is_ctrl = true},
                                            kUndo,
                                            kRedo}));
    for (const Key& key : keys) {
        editor.press(key);
        RC_ASSERT(utf8::is_valid(editor.text()));
        RC_ASSERT(editor.cursor() <= editor.text().size());
        RC_ASSERT(utf8::is_valid(editor.text().substr(editor.cursor())));
        const int cells = *rc::gen::inRange(4, 20);
        const EditorLayout layout = lay_out(editor, cells, Charset::utf8);
        RC_ASSERT(layout.cursor.row < static_cast<int>(layout.lines.size()));
        RC_ASSERT(layout.cursor.column < cells);
        for (const std::string& line : layout.lines) RC_ASSERT(text_width(line) <= cells);
    }
}

}  // namespace
}  // namespace parley

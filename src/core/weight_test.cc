// SPDX-License-Identifier: Apache-2.0
// What a value is said to weigh, against what it takes from the allocator: limits are of use only
// where they are counted in what is really held.
#include "core/weight.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

thread_local std::size_t bytes_taken = 0;

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc,hicpp-no-malloc): this is the allocator.
void* operator new(std::size_t bytes) {
    void* block = std::malloc(bytes);
    if (block == nullptr) std::abort();
    bytes_taken += malloc_usable_size(block);
    return block;
}
void operator delete(void* block) noexcept {
    if (block != nullptr) bytes_taken -= malloc_usable_size(block);
    std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}
// NOLINTEND(cppcoreguidelines-no-malloc,hicpp-no-malloc)

namespace parley {
namespace {

// Held as the ledger holds it: in a map, by its id.
template <class T>
struct Kept {
    explicit Kept(const T& value) {
        const std::size_t before = bytes_taken;
        places.emplace(AskId(), std::make_shared<const T>(value));
        bytes = bytes_taken - before;
    }

    std::map<AskId, std::shared_ptr<const T>> places;
    std::size_t bytes = 0;
};

// An ask and its spec are two objects, in two maps.
std::size_t held_for(const Ask& ask) {
    const Kept<AskSpec> spec(*ask.spec);
    const Kept<Ask> itself(ask);
    std::size_t settled = 0;
    if (ask.settlement) settled = Kept<Settlement>(*ask.settlement).bytes;
    return spec.bytes + itself.bytes + settled;
}

void expect_right(std::size_t weight, std::size_t held, const char* what) {
    EXPECT_GE(weight, held) << what;
    // What the allocator adds to a block is not seen here.
    EXPECT_LE(weight, held + held / 2 + 300) << what;
}

std::vector<Question> many_options(std::size_t questions, std::size_t options,
                                   const std::string& text) {
    std::vector<Question> all(questions);
    for (Question& question : all) {
        question.text = text;
        question.header = text;
        for (std::size_t i = 0; i < options; ++i)
            question.options.push_back({.label = text, .description = text});
        question.options.shrink_to_fit();
    }
    return all;
}

Ask ask_of(AskSpec spec) {
    return {.id = {}, .session = {}, .spec = std::make_shared<const AskSpec>(std::move(spec))};
}

TEST(Weight, AnAskWeighsWhatItHoldsHoweverSmallItsPiecesAre) {
    expect_right(weight_of(ask_of({})), held_for(ask_of({})), "nothing");
    const std::string letter = "x";
    const std::string line(40, 'x');
    const std::string page(15'000, 'x');
    for (const std::string& text : {letter, line, page}) {
        for (const std::size_t options : {0UL, 2UL, 200UL}) {
            const Ask ask = ask_of({.questions = many_options(16, options, text)});
            expect_right(weight_of(ask), held_for(ask), text.substr(0, 40).c_str());
        }
    }
}

TEST(Weight, EverythingAnAskBringsCounts) {
    const std::string text(2000, 'x');
    const Answers answers = {{.selected = {text, text}, .other = text, .note = text}};
    AskSpec spec{.questions = many_options(1, 2, "Go on?"),
                 .context = text,
                 .key = text,
                 .tool = ToolCall{text, text},
                 .permission = PermissionRequest{text, text, text, text, text},
                 .agent = text,
                 .asker = text};
    spec.default_answers = answers;
    spec.questions.front().preset = answers.front();
    Ask ask = ask_of(std::move(spec));
    ask.settlement = std::make_shared<const Settlement>(
        Settlement{.answers = answers,
                   .decider = {.principal = text, .name = text, .claimed = text},
                   .door = text,
                   .note = text});
    expect_right(weight_of(ask), held_for(ask), "all of it");
}

TEST(Weight, ADraftASessionAndAPartWeighWhatTheyHold) {
    for (const std::size_t size : {1UL, 100UL, 4000UL}) {
        const std::string text(size, 'x');
        const Draft draft{.answers = {{.selected = std::vector<std::string>(50, text)},
                                      {.selected = {}, .other = text}},
                          .device = text};
        expect_right(weight_of(draft), Kept(draft).bytes, "a draft");
        const Part part{.part_id = text, .tool = text, .body = text};
        expect_right(weight_of(part), Kept(part).bytes - Kept(Part()).bytes + sizeof(Part),
                     "a part");
    }
    const std::string text(4000, 'x');
    const Session session{
        .id = {}, .name = text, .title = text, .owner = text, .agent = text, .directory = text};
    EXPECT_GE(weight_of(session), Kept(session).bytes);
}

}  // namespace
}  // namespace parley

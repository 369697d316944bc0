// SPDX-License-Identifier: Apache-2.0
// Coroutine forms that released compilers are known to miscompile, run with the compiler that was
// configured. Every value in them counts its lives: a form is right if the result is right, nothing
// is destroyed twice, and nothing is left. Our own code avoids most of these forms; this test is
// what tells us that a new compiler may be trusted with the rest.
#include <gtest/gtest.h>

#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

// Knows every living Tracked by address, so that a double destruction and a destruction of
// something that never lived are both seen.
class Lives {
public:
    void born(const void* object) { wrong_ |= !alive_.insert(object).second; }
    void died(const void* object) { wrong_ |= alive_.erase(object) != 1; }
    bool balanced() const { return !wrong_ && alive_.empty(); }
    void forget() {
        alive_.clear();
        wrong_ = false;
    }

private:
    std::set<const void*> alive_ = {};
    bool wrong_ = false;
};

Lives& lives() {
    static Lives instance;
    return instance;
}

// Long enough to live on the heap, so that the address sanitizer sees a stale copy too.
std::string long_text(int value) {
    return "a text that does not fit into a small string: " + std::to_string(value);
}

class Tracked {
public:
    // NOLINTNEXTLINE(google-explicit-constructor)
    Tracked(int value) : value_(value), text_(long_text(value)) { lives().born(this); }
    Tracked(const Tracked& other) : value_(other.value_), text_(other.text_) { lives().born(this); }
    Tracked(Tracked&& other) noexcept : value_(other.value_), text_(std::move(other.text_)) {
        lives().born(this);
    }
    Tracked& operator=(const Tracked&) = default;
    Tracked& operator=(Tracked&&) = default;
    ~Tracked() { lives().died(this); }

    int value() const { return text_ == long_text(value_) ? value_ : -1; }

private:
    int value_;
    std::string text_;
};

// Lazy, resumes its awaiter by symmetric transfer, rethrows: what a network coroutine does.
template <class T>
class Task {
public:
    struct promise_type {
        std::optional<T> result = {};
        std::exception_ptr error = {};
        std::coroutine_handle<> awaiter = std::noop_coroutine();

        Task get_return_object() { return Task(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        auto final_suspend() noexcept {
            struct Resume {
                bool await_ready() noexcept { return false; }
                std::coroutine_handle<> await_suspend(Handle self) noexcept {
                    return self.promise().awaiter;
                }
                void await_resume() noexcept {}
            };
            return Resume{};
        }
        void return_value(T value) { result.emplace(std::move(value)); }
        void unhandled_exception() { error = std::current_exception(); }
    };
    using Handle = std::coroutine_handle<promise_type>;

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Task(const Task&) = delete;
    Task& operator=(Task&&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() {
        if (handle_) handle_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
        handle_.promise().awaiter = awaiter;
        return handle_;
    }
    T await_resume() {
        if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
        return take();
    }
    T run() {
        handle_.resume();
        return await_resume();
    }

private:
    explicit Task(Handle handle) : handle_(handle) {}
    T take() {
        std::optional<T>& result = handle_.promise().result;
        EXPECT_TRUE(result.has_value());
        T value = std::move(*result);  // NOLINT(bugprone-unchecked-optional-access)
        result.reset();
        return value;
    }

    Handle handle_;
};

struct Aggregate {
    Tracked first;
    Tracked second;
    std::string text = "none";
};

Task<Tracked> make(int value) {
    co_return Tracked(value);
}

Task<bool> yes() {
    co_return true;
}

Task<int> sum(Aggregate aggregate) {
    const Tracked again = co_await make(aggregate.second.value());
    co_return aggregate.first.value() + again.value();
}

Task<int> total(std::vector<Tracked> values) {
    int result = 0;
    for (const Tracked& value : values) {
        const Tracked again = co_await make(value.value());
        result += again.value();
    }
    co_return result;
}

Task<int> call(std::function<int(int)> function) {
    const Tracked argument = co_await make(5);
    co_return function(argument.value());
}

template <class Function>
Task<int> call_template(Function function) {
    const Tracked argument = co_await make(5);
    co_return function(argument.value());
}

Task<int> fail() {
    const Tracked held = co_await make(1);
    if (held.value() == 1) throw std::runtime_error("as expected");
    co_return 0;
}

// Each test runs one form to its end and then asks whether every value lived exactly once.
class CompilerForms : public ::testing::Test {
protected:
    void SetUp() override { lives().forget(); }
    void TearDown() override { EXPECT_TRUE(lives().balanced()); }
};

Task<int> if_on_await_without_locals() {
    if (co_await yes()) co_return 1;
    co_return 2;
}

Task<int> negated_if_on_await_without_locals() {
    if (!co_await yes()) co_return 1;
    co_return 2;
}

TEST_F(CompilerForms, IfOnAnAwaitedValueInABodyWithoutLocals) {
    EXPECT_EQ(if_on_await_without_locals().run(), 1);
    EXPECT_EQ(negated_if_on_await_without_locals().run(), 2);
}

Task<int> three() {
    co_return 3;
}

Task<int> switch_on_await_without_locals() {
    switch (co_await three()) {
        case 3: co_return 30;
        default: co_return 0;
    }
}

TEST_F(CompilerForms, SwitchOnAnAwaitedValueInABodyWithoutLocals) {
    EXPECT_EQ(switch_on_await_without_locals().run(), 30);
}

Task<int> while_on_await() {
    int rounds = 0;
    while ((co_await make(rounds)).value() < 3) ++rounds;
    co_return rounds;
}

TEST_F(CompilerForms, WhileOnAnAwaitedTemporary) {
    EXPECT_EQ(while_on_await().run(), 3);
}

Task<int> aggregate_argument() {
    co_return co_await sum({1, 2});
}

Task<int> designated_argument() {
    const int a = co_await sum({.first = 3, .second = 4, .text = long_text(1)});
    const int b = co_await sum(Aggregate{.first = 10, .second = 20});
    co_return a + b;
}

TEST_F(CompilerForms, AggregatesAsArgumentsOfAnAwaitedCall) {
    EXPECT_EQ(aggregate_argument().run(), 3);
    EXPECT_EQ(designated_argument().run(), 37);
}

Task<int> options_argument(std::vector<Tracked> options = {}) {
    co_return static_cast<int>(options.size());
}

Task<int> empty_braces_argument() {
    co_return co_await options_argument({}) + co_await options_argument();
}

TEST_F(CompilerForms, EmptyBracesAndDefaultsAsArguments) {
    EXPECT_EQ(empty_braces_argument().run(), 0);
}

Task<int> aggregate_of_awaited_members() {
    Aggregate aggregate{co_await make(5), co_await make(6)};
    co_return aggregate.first.value() * 10 + aggregate.second.value();
}

TEST_F(CompilerForms, AggregateWhoseMembersAreAwaited) {
    EXPECT_EQ(aggregate_of_awaited_members().run(), 56);
}

Task<int> ternary(bool first) {
    const Tracked chosen = first ? co_await make(1) : co_await make(2);
    co_return chosen.value();
}

Task<int> one_armed_ternary(bool await) {
    const Tracked chosen = await ? co_await make(1) : Tracked(2);
    co_return chosen.value();
}

Task<int> ternary_argument(bool first) {
    co_return co_await total(first ? std::vector<Tracked>{1, 2} : std::vector<Tracked>{7});
}

TEST_F(CompilerForms, Ternaries) {
    EXPECT_EQ(ternary(true).run(), 1);
    EXPECT_EQ(ternary(false).run(), 2);
    EXPECT_EQ(one_armed_ternary(true).run(), 1);
    EXPECT_EQ(one_armed_ternary(false).run(), 2);
    EXPECT_EQ(ternary_argument(true).run(), 3);
    EXPECT_EQ(ternary_argument(false).run(), 7);
}

Task<int> lambda_in_function_argument() {
    const Tracked held = co_await make(2);
    co_return co_await call([held](int value) { return value * held.value(); });
}

Task<int> lambda_in_template_argument() {
    const Tracked held = co_await make(3);
    co_return co_await call_template([held](int value) { return value * held.value(); });
}

TEST_F(CompilerForms, CapturingLambdasInsideAnAwaitExpression) {
    EXPECT_EQ(lambda_in_function_argument().run(), 10);
    EXPECT_EQ(lambda_in_template_argument().run(), 15);
}

Task<int> list_argument() {
    const Tracked a = co_await make(1);
    co_return co_await total({a, Tracked(2), 3});
}

Task<int> list_of_awaited() {
    const std::vector<Tracked> values{co_await make(4), co_await make(5)};
    co_return values[0].value() + values[1].value();
}

TEST_F(CompilerForms, InitializerLists) {
    EXPECT_EQ(list_argument().run(), 6);
    EXPECT_EQ(list_of_awaited().run(), 9);
}

Task<std::pair<Tracked, Tracked>> make_pair_of(int first, int second) {
    co_return std::pair(Tracked(first), Tracked(second));
}

Task<int> structured_binding() {
    auto [first, second] = co_await make_pair_of(1, 2);
    const Tracked third = co_await make(first.value() + second.value());
    co_return third.value();
}

TEST_F(CompilerForms, StructuredBindingsOfAnAwaitedValue) {
    EXPECT_EQ(structured_binding().run(), 3);
}

Task<std::vector<Tracked>> make_all() {
    co_return std::vector<Tracked>{1, 2, 3};
}

Task<int> range_for() {
    int result = 0;
    for (const Tracked& value : co_await make_all())
        result += (co_await make(value.value())).value();
    co_return result;
}

TEST_F(CompilerForms, RangeForOverAnAwaitedValue) {
    EXPECT_EQ(range_for().run(), 6);
}

Task<int> awaited_call_arguments() {
    const auto subtract = [](const Tracked& a, const Tracked& b) { return a.value() - b.value(); };
    co_return subtract(co_await make(9), co_await make(4));
}

TEST_F(CompilerForms, AwaitedArgumentsOfAPlainCall) {
    EXPECT_EQ(awaited_call_arguments().run(), 5);
}

Task<int> short_circuit() {
    if ((co_await make(0)).value() != 0 && (co_await make(1)).value() == 1) co_return 1;
    if ((co_await make(1)).value() == 1 || (co_await make(2)).value() == 2) co_return 2;
    co_return 3;
}

TEST_F(CompilerForms, ShortCircuitsAwaitOnlyWhatTheyNeed) {
    EXPECT_EQ(short_circuit().run(), 2);
}

Task<int> catch_and_go_on() {
    int caught = 0;
    try {
        co_await fail();
    } catch (const std::runtime_error&) {
        caught = 1;
    }
    const Tracked after = co_await make(10);
    co_return after.value() + caught;
}

TEST_F(CompilerForms, ExceptionsPassThroughAwaits) {
    EXPECT_EQ(catch_and_go_on().run(), 11);
    EXPECT_THROW(fail().run(), std::runtime_error);
}

Task<int> moved_parameter(Tracked value) {
    const Tracked held = std::move(value);
    const Tracked again = co_await make(held.value());
    co_return again.value();
}

TEST_F(CompilerForms, ParametersLiveInTheFrame) {
    EXPECT_EQ(moved_parameter(Tracked(8)).run(), 8);
    const Task<int> never_run = moved_parameter(Tracked(8));
}

Task<int> deep(int level) {
    const Tracked held(level);
    if (level == 0) co_return 0;
    const int below = co_await deep(level - 1);
    co_return below + (held.value() == level ? 1 : 0);
}

TEST_F(CompilerForms, SymmetricTransferUnwindsDeepChains) {
    EXPECT_EQ(deep(1000).run(), 1000);
}

}  // namespace

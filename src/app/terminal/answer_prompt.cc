// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/answer_prompt.h"

#include <algorithm>
#include <utility>

#include "app/terminal/editor_process.h"
#include "app/terminal/line_reader.h"
#include "app/terminal/terminal_screen.h"
#include "base/assert.h"
#include "base/lifetime.h"
#include "prompt/limits.h"
#include "prompt/numbered.h"
#include "prompt/prompt_view.h"

namespace parley::app {

namespace {

using Kind = PromptDecision::Kind;

std::optional<Millis> time_left(const Ask& ask, Instant now) {
    if (!ask.deadline) return std::nullopt;
    return std::max(*ask.deadline - now, Millis::zero());
}

class LinePrompt final : public AnswerPrompt {
public:
    LinePrompt(const RunContext& context, net::Loop& loop, const AskPtr& ask,
               const PromptSetting& setting, Decided decided)
        : context_(context),
          loop_(loop),
          fd_(setting.in),
          decided_(std::move(decided)),
          machine_(ask->spec, {.style = style_of(context, setting),
                               .profile = setting.profile,
                               .time_left = time_left(*ask, loop.clock().wall()),
                               .has_editor = is_tty(setting.in),
                               .commands = setting.commands}),
          lines_(std::in_place, setting.in, loop),
          is_line_begun_(setting.is_line_begun) {
        if (setting.replaces_another) appeared_at_ = loop.now();
        machine_.restore(setting.draft);
        take(machine_.start());
    }
    ~LinePrompt() override { take_terminal_back(); }

    void say(std::string_view text) override { take(machine_.say(text)); }
    Answers unsent() const override { return machine_.answers(); }

    void refused(const Error& error) override { take(machine_.refused(error)); }
    bool end(Ending ending) override {
        if (ending == Ending::decided) return false;
        // Nobody waits for a line when what was typed of it is taken away.
        lines_.reset();
        take_terminal_back();
        // It is not for the shell either.
        const bool was_typing = discard_typed(fd_);
        context_.console.tell("\n");
        return was_typing;
    }
    bool is_picture() const override { return false; }
    bool is_lent() const override { return editor_.has_value(); }

private:
    static PlainStyle style_of(const RunContext& context, const PromptSetting& setting) {
        PlainStyle style = context.console.err_style();
        style.has_bars = !setting.is_accessible && !context.environment.find("ACCESSIBLE");
        return style;
    }
    void take(NumberedPrompt::Step step) {
        // An answer is to the question that stood there when its line began: what was typed before
        // this is shown answers nothing.
        if (!step.is_amid_text) (void)discard_typed(fd_);
        context_.console.tell(step.text);
        switch (step.next) {
            case NumberedPrompt::Step::Next::read:
                ASSERT(lines_);
                return lines_->next(
                    [this](std::optional<std::string> line) { got_line(std::move(line)); });
            case NumberedPrompt::Step::Next::answer:
                return decided_({.kind = Kind::answer, .answers = std::move(step.answers)});
            case NumberedPrompt::Step::Next::dismiss:
                return decided_({.kind = Kind::dismiss, .reason = std::move(step.reason)});
            case NumberedPrompt::Step::Next::give_up: return decided_({.kind = Kind::give_up});
            case NumberedPrompt::Step::Next::command:
                return decided_({.kind = Kind::command, .command = std::move(step.command)});
            case NumberedPrompt::Step::Next::edit: return edit(step.written);
        }
    }
    void edit(const std::string& text) {
        auto process = EditorProcess::prepare(context_.environment, text);
        if (!process) return take(machine_.edited(reject(std::move(process).error())));
        editor_.emplace(std::move(*process));
        editor_->start({.in = fd_, .out = Console::kErr}, loop_, alive_.guard([this](int status) {
            if (!editor_) return;
            const auto written = editor_->result(status);
            editor_.reset();
            take(machine_.edited(written));
        }));
    }
    void take_terminal_back() {
        if (editor_) editor_->stop();
        editor_.reset();
    }
    void got_line(std::optional<std::string> line) {
        if (!line) return take(machine_.end_of_input());
        // A terminal has shown what was typed; of a pipe nobody has seen it.
        if (!is_tty(fd_))
            context_.console.tell(shown_text(*line, context_.console.err_style().charset) + '\n');
        if (is_stray()) {
            return take(machine_.say(
                "That line was begun before this question was shown, and answers nothing. Read the "
                "question, then type it again."));
        }
        take(machine_.feed(*line));
    }
    bool is_stray() {
        const bool is_too_soon =
            appeared_at_ && loop_.now() - *appeared_at_ < limits::kStrayLineGuard;
        return std::exchange(is_line_begun_, false) || is_too_soon;
    }

    const RunContext& context_;
    net::Loop& loop_;
    const int fd_;
    Decided decided_;
    NumberedPrompt machine_;
    std::optional<LineReader> lines_;      // until the prompt ends by itself
    std::optional<Mono> appeared_at_;      // by itself
    bool is_line_begun_;                   // before that, and not ended yet
    std::optional<EditorProcess> editor_;  // while it has the terminal
    Lifetime alive_;
};

class PicturePrompt final : public AnswerPrompt, private TerminalScreen::Owner {
public:
    PicturePrompt(const RunContext& context, net::Loop& loop, AskPtr ask,
                  const PromptSetting& setting, Decided decided)
        : context_(context),
          loop_(loop),
          ask_(std::move(ask)),
          setting_(setting),
          decided_(std::move(decided)),
          state_(ask_->spec, {.profile = setting.profile, .appeared_at = loop.now()}) {
        if (!setting.draft.empty()) state_.restore(setting.draft);
    }

    void say(std::string_view text) override {
        state_.notice = text;
        if (screen_) screen_->redraw();
    }
    Answers unsent() const override { return state_.answers(); }

    void start() {
        const bool has_colors = context_.console.err_style().emphasis == Emphasis::ansi;
        auto screen = TerminalScreen::open(
            loop_,
            {.in = setting_.in,
             .out = Console::kErr,
             .colors = has_colors ? Painter::Colors::ansi : Painter::Colors::none},
            *this);
        // A terminal that was there a moment ago and is not any more.
        if (!screen) return loop_.post(alive_.guard([this] { on_hang_up(); }));
        screen_ = std::move(*screen);
        if (ask_->deadline) tick();
    }

    void refused(const Error& error) override {
        state_.refused(error);
        if (screen_) screen_->redraw();
    }
    bool end(Ending ending) override {
        const bool was_typing = ending == Ending::by_itself && discard_typed(setting_.in);
        screen_.reset();
        return was_typing;
    }
    bool is_picture() const override { return true; }
    bool is_lent() const override { return screen_ && screen_->is_lent(); }

private:
    void on_key(const Key& key) override {
        PromptEffect effect = reduce(state_, key, loop_.now());
        switch (effect.kind) {
            case PromptEffect::Kind::none:
            case PromptEffect::Kind::close: return;
            case PromptEffect::Kind::answer:
                return decided_({.kind = Kind::answer, .answers = std::move(effect.answers)});
            case PromptEffect::Kind::dismiss:
                return decided_({.kind = Kind::dismiss, .reason = std::move(effect.reason)});
            case PromptEffect::Kind::interrupt: return decided_({.kind = Kind::interrupt});
            case PromptEffect::Kind::suspend: return screen_->suspend();
            case PromptEffect::Kind::open_editor:
                return screen_->edit(context_.environment, std::move(effect.text),
                                     [this](Result<std::string> text) { edited(std::move(text)); });
        }
    }
    void edited(Result<std::string> text) {
        if (text) return state_.edited(*text);
        state_.notice = text.error().message;
    }
    Picture picture(TtySize size) override {
        const PlainStyle style = context_.console.err_style();
        // The last row is left to the shell: a picture of the whole height would scroll.
        const PromptLook look{.columns = size.columns,
                              .rows = std::max(size.rows - 1, 1),
                              .charset = style.charset,
                              .has_numbers = setting_.has_numbers,
                              .time_left = time_left(*ask_, loop_.clock().wall())};
        const PromptDrawing drawing = draw_prompt(state_, look);
        state_.drawn(drawing.range);
        state_.was_shown();
        return to_picture(drawing.block, look.columns, look.rows);
    }
    void on_hang_up() override { decided_({.kind = Kind::give_up}); }

    void tick() {
        loop_.post_at(loop_.now() + std::chrono::seconds(1), alive_.guard([this] {
            if (!screen_) return;
            screen_->redraw();
            tick();
        }));
    }

    const RunContext& context_;
    net::Loop& loop_;
    const AskPtr ask_;
    const PromptSetting setting_;
    Decided decided_;
    PromptState state_;
    std::unique_ptr<TerminalScreen> screen_;
    Lifetime alive_;
};

}  // namespace

std::unique_ptr<AnswerPrompt> AnswerPrompt::open(const RunContext& context, net::Loop& loop,
                                                 AskPtr ask, const PromptSetting& setting,
                                                 Decided decided) {
    const bool wants_lines = setting.is_accessible || context.environment.find("ACCESSIBLE");
    if (wants_lines || !can_show_pictures(context.environment, setting.in, Console::kErr))
        return std::make_unique<LinePrompt>(context, loop, ask, setting, std::move(decided));
    auto prompt = std::make_unique<PicturePrompt>(context, loop, ask, setting, std::move(decided));
    prompt->start();
    return prompt;
}

}  // namespace parley::app

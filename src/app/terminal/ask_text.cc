// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/ask_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "app/terminal/local_time.h"
#include "base/overload.h"
#include "core/display.h"
#include "core/profile.h"
#include "core/questions.h"
#include "core/settlement_phrase.h"
#include "prompt/permission_block.h"
#include "text/safe_text.h"
#include "text/time_text.h"
#include "text/width.h"

namespace parley::app {

namespace {

void show_options(PlainPage& page, const Question& question) {
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const ShownLabel label = shown_label(question, i);
        const Option& option = question.options[i];
        page.hanging(fmt::format("  {}. ", i + 1),
                     label.is_recommended ? label.text + "  [recommended]" : label.text);
        if (!option.description.empty())
            page.hanging("     ", option.description, PlainPage::Look::dim);
        if (option.preview) page.set_off(*option.preview, PlainPage::Look::normal, "     ");
    }
    if (adds_other_row(question)) page.line("  or in your own words");
}

}  // namespace

std::string asker_name(const Ask& ask, std::string_view session) {
    if (!ask.spec->agent || *ask.spec->agent == session) return std::string(session);
    return session.empty() ? *ask.spec->agent : fmt::format("{} / {}", session, *ask.spec->agent);
}

std::string whole_text(const Ask& ask, std::string_view session, Instant now,
                       const PlainStyle& style) {
    PlainPage page(style);
    page.line(fmt::format("{}  {}", ask.id.str(), to_string(ask.state())), PlainPage::Look::bold);
    page.line(fmt::format("session {}, asked {} ago{}", session,
                          format_duration(std::max(now - ask.created_at, Millis::zero())),
                          ask.spec->agent ? " by " + *ask.spec->agent : std::string()));
    if (ask.is_asker_revoked)
        page.line("its agent was revoked: nobody waits for the answer; the owner may withdraw it");
    if (ask.deadline && ask.is_pending())
        page.line(fmt::format("ends in {}",
                              format_duration(std::max(*ask.deadline - now, Millis::zero()))));
    if (ask.spec->permission) {
        page.blank();
        page.hanging(ask.spec->permission->tool + ": ", ask.spec->permission->summary,
                     PlainPage::Look::bold);
        const Block lines =
            permission_block(*ask.spec->permission, style.columns - 2, style.charset);
        if (!lines.lines.empty()) page.set_off(text_of(lines));
    }
    if (ask.spec->context) {
        page.blank();
        page.set_off(*ask.spec->context);
    }
    for (const Question& question : ask.spec->questions) {
        page.blank();
        const bool is_named = question.header != make_header(question.text);
        page.hanging(is_named ? shown_header(question, kOpenProfile) + ": " : std::string(),
                     question.text, PlainPage::Look::bold);
        if (question.multi_select) page.line("  (several may be chosen)");
        if (const std::string wish = wish_words(question); !wish.empty())
            page.line(fmt::format("  ({})", wish));
        show_options(page, question);
    }
    if (ask.settlement) {
        page.blank();
        page.line(settlement_phrase(*ask.settlement, local_time(ask.settlement->at)));
        for (const std::string& line : summary_lines(ask)) page.hanging("  ", line);
    }
    return page.take();
}

}  // namespace parley::app

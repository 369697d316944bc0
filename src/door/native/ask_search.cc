// SPDX-License-Identifier: Apache-2.0
#include "door/native/ask_search.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "core/text_rules.h"
#include "core/weight.h"
#include "door/native/limits.h"

namespace parley {

namespace {

// All that a person might remember of an ask, as one text in small letters.
class Haystack {
public:
    explicit Haystack(const Ask& ask) {
        const AskSpec& spec = *ask.spec;
        for (const Question& question : spec.questions) {
            add(question.text);
            add(question.header);
            for (const Option& option : question.options) add(option.label);
        }
        if (spec.context) add(*spec.context);
        if (spec.agent) add(*spec.agent);
        if (spec.permission) {
            add(spec.permission->tool);
            add(spec.permission->input);
        }
        if (!ask.settlement) return;
        for (const Answer& answer : ask.settlement->answers) {
            for (const std::string& label : answer.selected) add(label);
            if (answer.other) add(*answer.other);
            if (answer.note) add(*answer.note);
        }
        const Decider& decider = ask.settlement->decider;
        if (ask.settlement->note) add(*ask.settlement->note);
        add(decider.principal);
        if (decider.name) add(*decider.name);
        if (decider.claimed) add(*decider.claimed);
    }

    bool has(std::string_view word) const { return text_.find(word) != std::string::npos; }

private:
    void add(std::string_view text) {
        text_ += lower_ascii(text);
        text_ += '\n';
    }

    std::string text_;
};

}  // namespace

bool AskFilter::fits(const Ask& ask) const {
    if (!states.empty() && std::ranges::find(states, ask.state()) == states.end()) return false;
    if (words.empty()) return true;
    const Haystack haystack(ask);
    return std::ranges::all_of(words, [&](const std::string& word) { return haystack.has(word); });
}

std::vector<std::string> search_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : lower_ascii(text) + " ") {
        if (c != ' ' && c != '\t' && c != '\n') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    return words;
}

void AskSearch::run(Wiring wiring, AskQuery query, AskFilter filter, Done<Found> done) {
    std::make_shared<AskSearch>(std::move(wiring), query, std::move(filter), std::move(done))
        ->read();
}

AskSearch::AskSearch(Wiring wiring, AskQuery query, AskFilter filter, Done<Found> done)
    : wiring_(std::move(wiring)),
      query_(query),
      limit_(query.limit),
      filter_(std::move(filter)),
      done_(std::move(done)) {
    if (filter_.states.size() == 1) query_.state = filter_.states.front();
    if (!filter_.is_simple()) query_.limit = limits::kListPageMax;
    query_.bytes = limits::kListedBytes;
}

void AskSearch::read() {
    wiring_.broker.list_asks(query_, wiring_.viewer,
                             [self = shared_from_this()](Result<AskPage> page) {
                                 if (!page) return self->done_(reject(std::move(page).error()));
                                 self->take(std::move(*page));
                             });
}

void AskSearch::take(AskPage page) {
    looked_at_ += page.hidden;
    looked_at_bytes_ += page.hidden_bytes;
    for (std::size_t i = 0; i < page.asks.size(); ++i) {
        query_.after = page.asks[i]->id;
        ++looked_at_;
        const std::size_t bytes = weight_of(*page.asks[i]);
        looked_at_bytes_ += bytes;
        if (filter_.fits(*page.asks[i])) {
            found_bytes_ += bytes;
            found_.asks.push_back(std::move(page.asks[i]));
        }
        const bool is_enough = found_.asks.size() == limit_ ||
                               found_bytes_ >= limits::kListedBytes ||
                               (!filter_.is_simple() && looked_at_bytes_ >= limits::kSearchedBytes);
        if (!is_enough) continue;
        const bool is_last = i + 1 == page.asks.size() && !page.has_more;
        if (!is_last) found_.next = query_.after;
        return done_(std::move(found_));
    }
    if (!page.has_more) return done_(std::move(found_));
    query_.after = page.last;
    const bool goes_on = !filter_.is_simple() && looked_at_ < limits::kSearchedAtOnce &&
                         looked_at_bytes_ < limits::kSearchedBytes;
    if (goes_on) return read();
    found_.next = query_.after;
    done_(std::move(found_));
}

}  // namespace parley

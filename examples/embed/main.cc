// SPDX-License-Identifier: Apache-2.0
// A deployment that stops for decisions. The program asks in three styles: it blocks, it is called
// back, it suspends a coroutine. The person who answers sits at this terminal; a question handler
// shows each question and reads the number of the choice.
#include <parley/broker.h>

#include <charconv>
#include <coroutine>
#include <future>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

parley::AskRequest question(std::string text, std::string header,
                            std::vector<parley::Option> options) {
    parley::AskRequest request;
    request.session = "deploy";
    request.spec.questions.push_back(
        {.text = std::move(text), .header = std::move(header), .options = std::move(options)});
    return request;
}

// "No answer" has many forms, and none of them is a yes.
void tell(std::string_view what, const parley::Result<parley::AskPtr>& settled) {
    std::cout << what << ": ";
    if (!settled) {
        std::cout << "no answer, " << settled.error().message << '\n';
    } else if ((*settled)->state() != parley::AskState::answered) {
        std::cout << "no answer, " << to_string((*settled)->state()) << '\n';
    } else {
        std::cout << (*settled)->settlement->answers.front().selected.front() << '\n';
    }
}

// The person's choice; nullopt when nobody is there to make one.
std::optional<parley::Answers> read_choice(const parley::Question& question) {
    std::cout << question.text << '\n';
    for (std::size_t i = 0; i < question.options.size(); ++i)
        std::cout << "  " << i + 1 << ") " << question.options[i].label << '\n';
    std::string line;
    while (std::getline(std::cin, line)) {
        std::size_t choice = 0;
        std::from_chars(line.data(), line.data() + line.size(), choice);
        if (choice >= 1 && choice <= question.options.size())
            return parley::Answers{{.selected = {question.options[choice - 1].label}}};
        std::cout << "A number from 1 to " << question.options.size() << ", please.\n";
    }
    return std::nullopt;
}

// Any coroutine type will do; this one starts at once and tells a future when it is done.
struct Deployment {
    struct promise_type {
        std::promise<void> done;

        Deployment get_return_object() { return {done.get_future()}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() { done.set_value(); }
        void unhandled_exception() { done.set_exception(std::current_exception()); }
    };

    std::future<void> done;
};

Deployment announce(parley::Ticket ticket) {
    const parley::Result<parley::AskPtr> settled = co_await ticket;
    tell("Announce", settled);
}

}  // namespace

int main() {
    // "sqlite:deploy.db" would keep the questions across a crash of this program.
    parley::Result<parley::Broker> broker = parley::Broker::open({.store = "memory:"});
    if (!broker) {
        std::cerr << broker.error().message << '\n';
        return 1;
    }

    // The one who answers. It runs on a thread of its own, so it may wait for its person.
    broker->set_handler([&broker](const parley::Ask& ask, const std::stop_token&) {
        std::optional<parley::Answers> answers = read_choice(ask.spec->questions.front());
        if (!answers) (void)broker->dismiss(ask.id, {.reason = "nobody is at the terminal"});
        return answers;
    });

    // Blocking.
    parley::Ticket where =
        broker->ask(question("Deploy where?", "Where", {{"Staging", ""}, {"Production", ""}}));
    tell("Where", where.wait());

    // With a callback, which runs on the broker's callback thread.
    std::promise<void> told;
    parley::Ticket when =
        broker->ask(question("Deploy when?", "When", {{"Now", ""}, {"Tonight", ""}}));
    when.on_settled([&told](const parley::Result<parley::AskPtr>& settled) {
        tell("When", settled);
        told.set_value();
    });
    told.get_future().wait();

    // In a coroutine, which goes on there too.
    Deployment announcement =
        announce(broker->ask(question("Tell the team?", "Team", {{"Yes", ""}, {"No", ""}})));
    announcement.done.wait();

    // A question with a deadline: silence is "timed out", never a yes.
    broker->set_handler(nullptr);
    parley::AskRequest unheard =
        question("Delete the old servers?", "Delete", {{"Yes", ""}, {"No", ""}});
    unheard.spec.timeout = parley::Millis(1);
    tell("Delete", broker->ask(std::move(unheard)).wait());
    return 0;
}

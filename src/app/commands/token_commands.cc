// SPDX-License-Identifier: Apache-2.0
// parley token create, list, rotate, revoke: who else may call the broker.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/commands/commands.h"
#include "app/reach/with_server.h"
#include "base/assert.h"
#include "text/safe_text.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

const std::vector<std::string> kRoles = {"agent", "responder", "owner"};

void print_made(Console& console, const native::MadeToken& made, bool wants_json) {
    if (wants_json) return console.print_json(native::token_document(made.token, made.secret));
    console.print(made.secret + "\n");
    console.tell(
        "This is shown once. Use it with --token, PARLEY_TOKEN, or as \"Authorization: Bearer "
        "…\".\n");
}

// Where it is and when it was used last, as far as that is known.
std::string use_of(const Token& token) {
    std::string text;
    if (token.person != token.name) text += fmt::format("  of {}", token.person);
    if (!token.device.empty()) text += fmt::format("  {}", token.device);
    if (token.used_at)
        text += fmt::format("  used {}", format_rfc3339(*token.used_at).substr(0, 16));
    return text;
}

class TokenCreateCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Makes a token and prints its secret, once: only a hash of it is kept. An agent "
                "may ask and sees its own asks; a responder sees and answers all; an owner may "
                "do both, and make tokens.",
            .arguments = {{.name = "NAME",
                           .help = "What it is called in lists and in settlements",
                           .target = &name_}},
            .options = {{.names = "--role",
                         .value = "ROLE",
                         .help = "agent, responder (default) or owner",
                         .target = &role_,
                         .choices = kRoles},
                        {.names = "--expires",
                         .value = "TIME",
                         .help = "How long it counts, like 12h or 30d (default: until revoked)",
                         .target = &expires_},
                        {.names = "--as",
                         .value = "PERSON",
                         .help = "Whose it is: the same person or agent has several tokens "
                                 "(default: a new one, called NAME)",
                         .target = &person_},
                        {.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {
                {"parley token create ci-bot --role agent", "for a program that asks"},
                {"parley token create anna --expires 30d", "for a person who answers"},
                {"parley token create anna-script --as anna", "for the same person once more"}}};
    }

    ExitCode run(const RunContext& context) override {
        ASSERT(name_ && role_);  // one must be given, the other has a default
        native::TokenBody body{.name = *name_};
        const auto role = from_name<Role>(*role_);
        ASSERT(role);  // one of the choices
        body.role = *role;
        body.person = person_;
        if (expires_) {
            const auto life = parse_duration(*expires_);
            if (!life)
                return context.refuse_usage(
                    fmt::format("--expires {}: {}", *expires_, life.error().message));
            body.life = *life;
        }
        return with_server(context, [this, body](ServerVisit& session) {
            session.link.make_token(body, [this, &session](Result<native::MadeToken> made) {
                if (!made) return session.fail(made.error());
                print_made(session.context.console, *made, wants_json_);
                session.finish(ExitCode::done);
            });
        });
    }

private:
    std::optional<std::string> name_;
    std::optional<std::string> role_ = "responder";
    std::optional<std::string> expires_;
    std::optional<std::string> person_;
    bool wants_json_ = false;
};

class TokenListCommand final : public Command {
public:
    CommandSpec spec() override {
        return {.about =
                    "Lists the tokens: name, role, when made and until when they count, whose "
                    "they are, and of browsers the device and the last use.",
                .options = {{.names = "--json", .help = "Print JSON", .target = &wants_json_}},
                .examples = {{"parley token list", "who may call the broker"}}};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) {
            session.link.list_tokens([this, &session](Result<std::vector<Token>> tokens) {
                if (!tokens) return session.fail(tokens.error());
                print(session.context.console, *tokens);
                session.finish(ExitCode::done);
            });
        });
    }

private:
    void print(Console& console, const std::vector<Token>& tokens) const {
        if (wants_json_) {
            std::vector<TokenPtr> listed;
            for (const Token& token : tokens) listed.push_back(std::make_shared<Token>(token));
            return console.print_json(native::token_page(listed));
        }
        std::size_t widest = 0;
        for (const Token& token : tokens) widest = std::max(widest, token.name.size());
        for (const Token& token : tokens) {
            const std::string name = shown_text(token.name, console.out_style().charset);
            console.print(fmt::format(
                "{:<{}}  {:<9}  made {}{}{}\n", name, widest, to_string(token.role),
                format_rfc3339(token.created_at).substr(0, 10),
                token.expires_at ? "  until " + format_rfc3339(*token.expires_at).substr(0, 10)
                                 : "",
                shown_text(use_of(token), console.out_style().charset)));
        }
    }

    bool wants_json_ = false;
};

class TokenRotateCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Gives a token another secret and prints it, once. The old one counts no longer, "
                "and browsers that signed in with it are out; drafts, asks and name stay the "
                "person's or agent's.",
            .arguments = {{.name = "NAME", .help = "As `token list` shows it", .target = &name_}},
            .options = {{.names = "--json", .help = "Print JSON", .target = &wants_json_}},
            .examples = {{"parley token rotate ci-bot", "its secret may have leaked"}},
            .notes = "The owner's token is a file: remove it and start the broker again."};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) {
            session.link.rotate_token(*name_, [this, &session](Result<native::MadeToken> made) {
                if (!made) return session.fail(made.error());
                print_made(session.context.console, *made, wants_json_);
                session.finish(ExitCode::done);
            });
        });
    }

private:
    std::optional<std::string> name_;
    bool wants_json_ = false;
};

class TokenRevokeCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Takes a token back. Whoever holds it is refused from now on, and streams that "
                "it opened are closed.",
            .arguments = {{.name = "NAME", .help = "As `token list` shows it", .target = &name_}},
            .examples = {{"parley token revoke anna-phone", "the phone is lost"}}};
    }

    ExitCode run(const RunContext& context) override {
        return with_server(context, [this](ServerVisit& session) {
            session.link.drop_token(*name_, [&session](Result<void> dropped) {
                if (!dropped) return session.fail(dropped.error());
                session.context.console.tell("Revoked.\n");
                session.finish(ExitCode::done);
            });
        });
    }

private:
    std::optional<std::string> name_;
};

}  // namespace

std::unique_ptr<Command> make_token_create() {
    return std::make_unique<TokenCreateCommand>();
}

std::unique_ptr<Command> make_token_list() {
    return std::make_unique<TokenListCommand>();
}

std::unique_ptr<Command> make_token_rotate() {
    return std::make_unique<TokenRotateCommand>();
}

std::unique_ptr<Command> make_token_revoke() {
    return std::make_unique<TokenRevokeCommand>();
}

}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
// parley token qr: an address that signs a phone in, as a picture.
#include <fmt/format.h>

#include "app/command_line/address_options.h"
#include "app/commands/commands.h"
#include "app/reach/with_server.h"
#include "app/serve/listen_address.h"
#include "app/serve/own_name.h"
#include "app/terminal/qr_text.h"

namespace parley::app {

namespace {

// The address with another beginning, such as one that a phone can reach.
std::string with_base(const std::string& url, std::string base) {
    const auto path = url.find("/?");
    while (base.ends_with('/')) base.pop_back();
    return path == std::string::npos ? url : base + url.substr(path);
}

bool is_of_this_machine(std::string_view url) {
    constexpr std::string_view kScheme = "://";
    const auto scheme = url.find(kScheme);
    if (scheme == std::string_view::npos) return false;
    const std::string_view rest = url.substr(scheme + kScheme.size());
    const auto address = parse_listen(rest.substr(0, rest.find('/')));
    return address && (is_loopback(address->host) || address->host == kOwnName);
}

class TokenQrCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Shows an address as a QR code. Opened on a phone or in any browser, it signs "
                "that one in, once, to see and answer questions.",
            .options = {{.names = "--url",
                         .value = "URL",
                         .help = "How the phone reaches the broker, like https://HOST:PORT",
                         .target = &url_},
                        {.names = "--as",
                         .value = "PERSON",
                         .help = "Whom it signs in (default: a new person, whom the page asks for "
                                 "a name)",
                         .target = &person_},
                        {.names = "--json",
                         .help = "Print JSON with the address, and no code",
                         .target = &wants_json_}},
            .examples = {{"parley token qr", "scan it with the phone's camera"},
                         {"parley token qr --as anna", "one more device of the same person"},
                         {"parley token qr --url https://parley.example.org",
                          "when a proxy stands before the broker"}},
            .notes = "`parley token list` shows who has signed in, `parley token revoke` ends it."};
    }

    ExitCode run(const RunContext& context) override {
        if (url_) {
            if (const auto checked = check_base_url(*url_); !checked)
                return context.refuse_usage(fmt::format("--url {}", checked.error().message));
        }
        return with_server(context, [this](ServerVisit& session) {
            session.link.make_sign_in_link(person_,
                                           [this, &session](Result<native::SignInLink> link) {
                                               if (!link) return session.fail(link.error());
                                               if (url_) link->url = with_base(link->url, *url_);
                                               print(session.context.console, *link);
                                               session.finish(ExitCode::done);
                                           });
        });
    }

private:
    void print(Console& console, const native::SignInLink& link) const {
        if (wants_json_) return console.print_json(native::sign_in_link_document(link));
        const std::string code = qr_text(link.url, console.row_style());
        console.print(code + link.url + "\n");
        if (code.empty()) console.tell("This terminal is too narrow for a code.\n");
        if (is_of_this_machine(link.url))
            console.tell(
                "A phone cannot reach this address: give --url, or start the broker with --listen "
                "0.0.0.0:7373,\n--tls-cert and --tls-key.\n");
    }

    std::optional<std::string> url_;
    std::optional<std::string> person_;
    bool wants_json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_token_qr() {
    return std::make_unique<TokenQrCommand>();
}

}  // namespace parley::app

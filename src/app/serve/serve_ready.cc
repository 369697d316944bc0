// SPDX-License-Identifier: Apache-2.0
#include "app/serve/serve_ready.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/serve/listen_address.h"
#include "app/terminal/qr_text.h"
#include "store/engine_url.h"
#include "text/json.h"

namespace parley::app {

void announce_ready(Console& console, Server& server, const ReadyLook& look) {
    const ServeOptions& options = server.options();
    if (look.is_json) {
        std::string line;
        json::Writer out(line);
        out.begin_object()
            .field("event", "ready")
            .field("url", server.url())
            .field("socket", options.socket.string())
            .field("token_file", options.token_file.string())
            .field("store", shown_url(options.store_url))
            .field_int("pid", ::getpid());
        if (!options.public_url.empty()) out.field("public_url", options.public_url);
        if (look.has_sign_in) out.field("sign_in", server.sign_in_url());
        out.end_object();
        console.print(line + "\n");
        return;
    }
    if (look.has_sign_in) console.print(server.sign_in_url() + "\n");
    if (look.is_detached) return;
    // Where nobody looks, it would be a key that lies in a log.
    const bool is_seen = console.is_err_tty() || look.has_qr;
    const std::string address = is_seen ? server.sign_in_url() : server.url();
    console.tell(fmt::format(
        "Parley is ready.\n"
        "  page     {}\n"
        "  socket   {}\n"
        "  store    {}\n"
        "  token    {}\n"
        "{}{} In another terminal,\n"
        "answer with `parley inbox`, or `parley list` and `parley answer`. Stop with Ctrl-C.\n",
        address, options.socket.string(), shown_url(options.store_url), options.token_file.string(),
        options.has_demo ? "A scripted agent asks you already what it shall show. " : "",
        is_seen ? "Open the page's address in a browser: it signs one in, once."
                : "`parley token qr` makes an address that signs a browser in."));
    if (!look.has_qr) return;
    console.tell("\n" + qr_text(address, console.err_style()));
    if (is_loopback(options.host) && options.public_url.empty())
        console.tell(
            "A phone cannot reach this address. Listen on one that it can: --listen 0.0.0.0:7373\n"
            "with --tls-cert and --tls-key.\n");
}

}  // namespace parley::app

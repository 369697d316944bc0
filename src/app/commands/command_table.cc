// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "app/commands/commands.h"
#include "app/commands/store_commands.h"

namespace parley::app {

std::span<const CommandEntry> command_table() {
    static constexpr std::array kTable = {
        CommandEntry{"serve", "Run the broker", make_serve},
        CommandEntry{"ask", "Ask a person, wait, print the answer", make_ask},
        CommandEntry{"wait", "Wait for asks that are open", make_wait},
        CommandEntry{"inbox", "Answer everything that waits, on one screen", make_inbox},
        CommandEntry{"list", "List what waits for an answer", make_list},
        CommandEntry{"status", "Say in one line what waits", make_status},
        CommandEntry{"show", "Show one ask whole", make_show},
        CommandEntry{"answer", "Answer an ask", make_answer},
        CommandEntry{"dismiss", "Decline an ask", make_dismiss},
        CommandEntry{"withdraw", "Take back an ask", make_withdraw},
        CommandEntry{"watch", "Follow what happens", make_watch},
        CommandEntry{"run claude", "Run Claude Code, answerable from everywhere", make_run_claude},
        CommandEntry{"run codex", "Run Codex, answerable from everywhere", make_run_codex},
        CommandEntry{"run acp", "Run an agent of the Agent Client Protocol", make_run_acp},
        CommandEntry{"run copilot", "Run Copilot CLI, by that protocol", make_run_copilot},
        CommandEntry{"run gemini", "Run Gemini CLI, by that protocol", make_run_gemini},
        CommandEntry{"run opencode", "Run OpenCode, or answer one that runs", make_run_opencode},
        CommandEntry{"run qwen", "Run Qwen Code, by that protocol", make_run_qwen},
        CommandEntry{"run llm", "Run a model behind an API, or on this machine", make_run_llm},
        CommandEntry{"run demo", "Run the scripted demo agent", make_run_demo},
        CommandEntry{"join codex", "Answer your Codex windows from everywhere", make_join_codex},
        CommandEntry{"doctor", "Look at what is set up, and what is not", make_doctor},
        CommandEntry{"token create", "Make a token for an agent or a person", make_token_create},
        CommandEntry{"token list", "List the tokens", make_token_list},
        CommandEntry{"token rotate", "Give a token another secret", make_token_rotate},
        CommandEntry{"token revoke", "Take a token back", make_token_revoke},
        CommandEntry{"token qr", "Show a QR code that signs a phone in", make_token_qr},
        CommandEntry{"store backup", "Copy a store to a file, in use or not", make_store_backup},
        CommandEntry{"store restore", "Put a backup in a store's place", make_store_restore},
        CommandEntry{"store forget", "Delete what settled asks said", make_store_forget},
        CommandEntry{"store prune", "Remove what was over long ago", make_store_prune},
        CommandEntry{"store check", "Look whether a store is whole", make_store_check},
        CommandEntry{"store export", "Write a store as JSON Lines", make_store_export},
        CommandEntry{"store import", "Fill an empty store with an export", make_store_import},
        CommandEntry{"store migrate", "Copy one store into another kind", make_store_migrate},
        CommandEntry{"mcp", "Be an MCP server on stdio", make_mcp},
        CommandEntry{"acp-proxy", "Stand between an editor and its agent", make_acp_proxy},
        CommandEntry{"tool", "Print the tool definition for a model", make_tool},
        // Claude Code takes 2 from a hook for "block the tool".
        CommandEntry{"hook claude", "Let Claude Code ask through the broker", make_hook_claude,
                     ExitCode::failed},
        CommandEntry{"completions", "Print the completions for bash, zsh or fish",
                     make_completions},
        CommandEntry{"man", "Print the manual, for man", make_man},
    };
    return kTable;
}

}  // namespace parley::app

// SPDX-License-Identifier: Apache-2.0
// The makers of the commands, one file each. Each makes one unfilled command.
#pragma once

#include <memory>

#include "app/command_line/command.h"

namespace parley::app {

std::unique_ptr<Command> make_acp_proxy();
std::unique_ptr<Command> make_ask();
std::unique_ptr<Command> make_completions();
std::unique_ptr<Command> make_inbox();
std::unique_ptr<Command> make_serve();
std::unique_ptr<Command> make_hook_claude();
std::unique_ptr<Command> make_join_codex();
std::unique_ptr<Command> make_run_demo();
std::unique_ptr<Command> make_status();
std::unique_ptr<Command> make_run_acp();
std::unique_ptr<Command> make_run_claude();
std::unique_ptr<Command> make_run_codex();
std::unique_ptr<Command> make_run_copilot();
std::unique_ptr<Command> make_run_gemini();
std::unique_ptr<Command> make_run_llm();
std::unique_ptr<Command> make_run_opencode();
std::unique_ptr<Command> make_run_qwen();
std::unique_ptr<Command> make_withdraw();
std::unique_ptr<Command> make_wait();
std::unique_ptr<Command> make_watch();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_dismiss();
std::unique_ptr<Command> make_answer();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_store_check();
std::unique_ptr<Command> make_store_export();
std::unique_ptr<Command> make_store_import();
std::unique_ptr<Command> make_store_migrate();
std::unique_ptr<Command> make_token_create();
std::unique_ptr<Command> make_token_list();
std::unique_ptr<Command> make_token_rotate();
std::unique_ptr<Command> make_token_revoke();
std::unique_ptr<Command> make_token_qr();
std::unique_ptr<Command> make_man();
std::unique_ptr<Command> make_mcp();
std::unique_ptr<Command> make_tool();

}  // namespace parley::app

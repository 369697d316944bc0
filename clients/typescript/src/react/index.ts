// SPDX-License-Identifier: Apache-2.0
export { useAskToolHandler, type AskToolHandler, type OpenAsk } from "./use_ask_tool_handler.js";
export { useChat, type Chat, type SendMessageOptions, type TextPart } from "./use_chat.js";

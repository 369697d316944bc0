// SPDX-License-Identifier: Apache-2.0
// A tool call in one line; what went in and came out is a click away.
import { t } from "../../i18n";
import type { Item, ToolCall } from "../../model/transcript";
import { visible } from "../../model/visible";
import { Icon } from "../icons";

const SHOWN_MAX = 20_000;

// The one value of the input that says most: a command, a path, a pattern.
function gist(call: ToolCall): string {
  try {
    const input = JSON.parse(call.input) as Record<string, unknown>;
    const value = Object.values(input).find((one) => typeof one === "string");
    return typeof value === "string" ? value : "";
  } catch {
    return call.input;
  }
}

export function ToolItem({ item }: { item: Extract<Item, { kind: "tool" }> }) {
  const call = item.tool.value;
  return (
    <details class={`tool ${call.state}`}>
      <summary>
        <Icon name="tool" />
        <span class="tool-name">{visible(call.tool || t("chat.tool"))}</span>
        <span class="tool-gist" dir="auto">
          {visible(gist(call).slice(0, 200))}
        </span>
        <span class={`badge ${call.state === "failed" ? "bad" : call.state === "done" ? "good" : ""}`}>
          {t(`chat.tool_${call.state}`)}
        </span>
      </summary>
      {call.input && (
        <>
          <p class="hint">{t("chat.input")}</p>
          <pre tabIndex={0}>{visible(call.input.slice(0, SHOWN_MAX))}</pre>
        </>
      )}
      {call.output !== undefined && (
        <>
          <p class="hint">{t("chat.output")}</p>
          <pre tabIndex={0}>{visible(call.output.slice(0, SHOWN_MAX))}</pre>
        </>
      )}
    </details>
  );
}

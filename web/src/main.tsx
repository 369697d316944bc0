// SPDX-License-Identifier: Apache-2.0
import { effect } from "@preact/signals";
import { render } from "preact";
import "./model/attention";
import { begin } from "./model/begin";
import { parseRoute, route } from "./model/route";
import { theme } from "./model/settings";
import { isLoaded, isSignedOut, pending } from "./model/state";
import { App } from "./view/app";
import "./view/title";

// A theme that was chosen counts for the browser's own bars too.
const bars = [...document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")];
const [day, night] = bars.map((meta) => meta.content);
effect(() => {
  if (theme.value === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
  const shown = { auto: [day, night], light: [day, day], dark: [night, night] }[theme.value];
  bars.forEach((meta, index) => (meta.content = shown[index] ?? ""));
});

void begin();

// The document has asked for the first questions already: the first picture waits for them a moment
// rather than being drawn twice.
const FIRST_PICTURE_MS = 60;
function draw(): void {
  clearTimeout(timer);
  stopWaiting();
  render(<App />, document.getElementById("app")!);
}
const timer = setTimeout(draw, FIRST_PICTURE_MS);
const stopWaiting = effect(() => {
  if (pending.value.size > 0 || isLoaded.value || isSignedOut.value) queueMicrotask(draw);
});

// Browsers offer workers on safe origins only, and take the address of a script from a policy.
interface Policy {
  createScriptURL(text: string): string;
}
interface Policies {
  createPolicy(name: string, rules: Policy): Policy;
}
const policies = (window as { trustedTypes?: Policies }).trustedTypes;
const policy = policies?.createPolicy("parley", { createScriptURL: (text) => (text === "/sw.js" ? text : "") });
void navigator.serviceWorker?.register(policy?.createScriptURL("/sw.js") ?? "/sw.js").catch(() => undefined);
navigator.serviceWorker?.addEventListener("message", (event: MessageEvent<{ open?: string }>) => {
  if (!event.data.open) return;
  location.hash = event.data.open.replace(/^\//, "");
  route.value = parseRoute(location.hash);
});

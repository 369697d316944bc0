// SPDX-License-Identifier: Apache-2.0
// Where the person is: the part of the address after '#', so that the browser's own back and
// forward work and every question can be linked to.
import { effect, signal } from "@preact/signals";
import { filterQuery, readFilters } from "./filters";

export type Route =
  | { view: "inbox"; ask?: string }
  | { view: "history"; ask?: string }
  | { view: "sessions"; session?: string }
  | { view: "settings" };

// What a person typed into the address need not be an encoding of anything.
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parseRoute(hash: string): Route {
  const [, first = "", second] = hash.replace(/^#/, "").split("?")[0]!.split("/");
  const id = second ? decode(second) : undefined;
  switch (first) {
    case "ask":
      return id ? { view: "inbox", ask: id } : { view: "inbox" };
    case "history":
      return id ? { view: "history", ask: id } : { view: "history" };
    case "session":
    case "sessions":
      return id ? { view: "sessions", session: id } : { view: "sessions" };
    case "settings":
      return { view: "settings" };
    default:
      return { view: "inbox" };
  }
}

export function address(route: Route): string {
  switch (route.view) {
    case "inbox":
      return route.ask ? `#/ask/${encodeURIComponent(route.ask)}` : "#/";
    case "history":
      return route.ask ? `#/history/${encodeURIComponent(route.ask)}` : "#/history";
    case "sessions":
      return route.session ? `#/session/${encodeURIComponent(route.session)}` : "#/sessions";
    case "settings":
      return "#/settings";
  }
}

// What an address says of filters counts; one that says nothing changes none.
function read(): Route {
  const found = parseRoute(location.hash);
  const query = location.hash.split("?")[1];
  if (query !== undefined) readFilters(found.view, query);
  return found;
}

export const route = signal<Route>(read());
addEventListener("hashchange", () => {
  const found = read();
  if (address(found) !== address(route.value)) route.value = found;
});
// What is searched for changes the address, without a step in the browser's history.
effect(() => {
  const query = filterQuery(route.value.view);
  const isInAddress = location.hash.split("?")[1] === (query ? query.slice(1) : undefined);
  if (!isInAddress) history.replaceState(null, "", address(route.value) + query);
});

// At once: the browser tells of it only after whatever else is in its queue, such as the next key.
export function go(to: Route): void {
  location.hash = address(to);
  route.value = to;
}

// The same without a step in the browser's history.
export function replace(to: Route): void {
  history.replaceState(null, "", address(to));
  route.value = to;
}

// SPDX-License-Identifier: Apache-2.0
// The service worker: keeps the page's own files, so that the page opens without a connection and
// can say so. The broker is always asked first; nothing that it answers under /v1 is kept.
declare const VERSION: string;
const worker = self as unknown as ServiceWorkerGlobalScope;

const CACHE = `parley-${VERSION}`;
const FILES = ["/", "/app.js", "/app.css", "/icon.svg", "/manifest.webmanifest"];

// Where a browser can be told beforehand, nothing waits for the worker to start: what is not a file
// goes straight to the broker, and a file comes from there unless it does not answer.
interface Route {
  condition: { urlPattern: { pathname: string; search?: string } };
  source: "network" | "race-network-and-fetch-handler";
}
const ROUTES: Route[] = [
  ...FILES.map((pathname): Route => ({
    condition: { urlPattern: { pathname, search: "" } },
    source: "race-network-and-fetch-handler",
  })),
  { condition: { urlPattern: { pathname: "*" } }, source: "network" },
];

worker.addEventListener("install", (event) => {
  const { addRoutes } = event as { addRoutes?(routes: Route[]): Promise<void> };
  void addRoutes?.call(event, ROUTES).catch(() => undefined);
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  );
});

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const isFile = event.request.method === "GET" && url.origin === location.origin && FILES.includes(url.pathname);
  // An address that signs in is not the page's to replay.
  if (!isFile || url.searchParams.has("token")) return;
  event.respondWith(
    fetch(event.request).catch(async () => {
      const kept = await caches.match(url.pathname, { cacheName: CACHE });
      return kept ?? Response.error();
    }),
  );
});

// A click on a notification opens the question that it showed.
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const ask = (event.notification.data as { ask?: string } | undefined)?.ask;
  const target = ask ? `/#/ask/${ask}` : "/";
  event.waitUntil(
    worker.clients.matchAll({ type: "window" }).then(async (windows) => {
      const open = windows[0];
      if (!open) return worker.clients.openWindow(target);
      open.postMessage({ open: target });
      return open.focus();
    }),
  );
});

export {};

// SPDX-License-Identifier: Apache-2.0
// Tells a person who looks elsewhere: the count on the icon, a notification with the question, a
// sound. Silent while the page is looked at.
import { effect } from "@preact/signals";
import { t } from "../i18n";
import { wholeHeadline } from "./headline";
import { go } from "./route";
import { notifies, sounds } from "./settings";
import { onEvent, waitingCount } from "./state";
import type { Ask } from "./types";
import { visible } from "./visible";

const isSeen = (): boolean => document.visibilityState === "visible";

export const isBlocked = (): boolean => "Notification" in window && Notification.permission === "denied";

export async function allowNotifications(): Promise<void> {
  if (!("Notification" in window)) return;
  if ((await Notification.requestPermission()) !== "granted") notifies.value = false;
}

async function notify(ask: Ask): Promise<void> {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const options: NotificationOptions = {
    body: wholeHeadline(ask),
    tag: ask.id, // the same question never stands there twice
    icon: "/icon-192.png",
    data: { ask: ask.id },
  };
  const title = ask.agent ? t("card.asked_by", { agent: visible(ask.agent) }) : t("card.asked");
  // Phones show notifications only through the service worker.
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  if (worker) return worker.showNotification(title, options);
  const shown = new Notification(title, options);
  shown.onclick = () => {
    window.focus();
    go({ view: "inbox", ask: ask.id });
    shown.close();
  };
}

async function unnotify(id: string): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  for (const shown of (await worker?.getNotifications({ tag: id })) ?? []) shown.close();
}

// Two short notes, made here: no file to load.
function play(): void {
  const context = new AudioContext();
  const volume = context.createGain();
  volume.gain.value = 0.08;
  volume.connect(context.destination);
  [660, 880].forEach((frequency, index) => {
    const note = context.createOscillator();
    note.frequency.value = frequency;
    note.connect(volume);
    note.start(context.currentTime + index * 0.14);
    note.stop(context.currentTime + index * 0.14 + 0.12);
    if (index === 1) note.onended = () => void context.close();
  });
}

onEvent((event) => {
  if (event.type === "ask.settled" && typeof event.ask === "object") void unnotify(event.ask.id);
  if (event.type !== "ask.opened" || event.id === undefined || typeof event.ask !== "object") return;
  if (isSeen()) return;
  if (notifies.value) void notify(event.ask);
  if (sounds.value) play();
});

// The icon with a number, drawn anew when the number changes.
function drawIcon(count: number): string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "#4655d8";
  pen.beginPath();
  pen.roundRect(0, 0, 64, 64, 14);
  pen.fill();
  pen.fillStyle = "#fff";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const text = count > 99 ? "99+" : String(count);
  pen.font = `bold ${text.length > 2 ? 28 : 40}px sans-serif`;
  pen.fillText(text, 32, 35);
  return canvas.toDataURL("image/png");
}

effect(() => {
  const count = waitingCount.value;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon) icon.href = count > 0 ? drawIcon(count) : "/icon.svg";
  void (navigator as { setAppBadge?(n: number): Promise<void> }).setAppBadge?.(count).catch(() => undefined);
});

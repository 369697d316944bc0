// SPDX-License-Identifier: Apache-2.0
// The page's pictograms: decoration beside words, hidden from screen readers.
const PATHS = {
  inbox: "M3 13l3-8h12l3 8v6H3zM3 13h5l1.5 3h5L16 13h5",
  chat: "M4 5h16v11H9l-5 4z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  check: "M5 12.5l4.5 4.5L19 7",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  bell: "M6 16V11a6 6 0 1 1 12 0v5l1.5 2h-15zM10 20.5h4",
  snooze: "M12 4a8 8 0 1 0 8 8M12 8v4l2.5 1.5M15 3h6l-6 6h6",
  stop: "M7 7h10v10H7z",
  send: "M4 12l16-7-6 15-3-6z",
  tool: "M14 6.5a4 4 0 0 1 5-2.5l-2.5 2.5 1 2 2 1L22 7a4 4 0 0 1-5.5 4.5L9 19a2.1 2.1 0 0 1-3-3l7.5-7.5",
  branch: "M7 4v9a4 4 0 0 0 4 4h6M14 14l3 3-3 3",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  more: "M5 9l7 7 7-7",
  note: "M5 4h14v11l-5 5H5zM14 20v-5h5",
  undo: "M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-4",
  warn: "M12 4l9.5 16h-19zM12 10v4M12 17v.5",
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, flips }: { name: IconName; flips?: boolean }) => (
  <svg class={flips ? "icon flips" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

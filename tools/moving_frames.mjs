// SPDX-License-Identifier: Apache-2.0
// The frames of docs/pictures/moving.svg: Claude Code in a terminal wants to run a command, and a phone
// allows it. Broker, page, hook and Claude Code are the real ones; its model is a stand-in.
//
//     node tools/moving_frames.mjs FOLDER
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Screen } from "../tests/clients/claude/support/screen.mjs";
import { news, text, tool } from "../tests/clients/claude/support/model.mjs";
import { World } from "../tests/clients/claude/support/world.mjs";
import { Stage } from "../tests/page/support.mjs";

const FOLDER = process.argv[2];
const [COLUMNS, ROWS] = ["72", "26"];
const PHONE = { viewport: { width: 390, height: 720 }, hasTouch: true, isMobile: true, colorScheme: "light" };
const COMMAND = "rm -r releases/2.1 releases/2.2";

const taps = {}; // where a finger goes in a picture
const ends = []; // what closes everything again, last first
const test = { after: (end) => ends.unshift(end) };

let goOn;
const pause = new Promise((resolve) => { goOn = resolve; });
const script = (messages) => {
  const isDone = news(messages).some(({ type }) => type === "tool_result");
  return isDone ? [text("Done: 2.1 and 2.2 are gone, 2.3 and 2.4 are still there.")]
    : [text("The disk is nearly full, and nobody is served releases 2.1 and 2.2."),
      text("I remove them.", pause),
      tool("toolu_1", "Bash", { command: COMMAND, description: "Remove two old releases" })];
};

const center = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

// The same picture in fewer bytes, as the browser itself makes it.
async function small(page, png) {
  const address = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"),
      { width: image.naturalWidth, height: image.naturalHeight });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.92);
  }, `data:image/png;base64,${png.toString("base64")}`);
  return Buffer.from(address.split(",")[1], "base64");
}

async function play() {
  const stage = await Stage.open();
  test.after(() => stage.close());
  const world = await World.start(script, { broker: stage.broker });
  test.after(() => world.stop());
  world.project = join(world.home, "shop");
  for (const release of ["2.1", "2.2", "2.3", "2.4"]) {
    await mkdir(join(world.project, "releases", release), { recursive: true });
  }
  await world.parley("hook", "claude", "--install", "--scope", "project");

  const phone = await stage.visit("#/", PHONE);
  await Screen.welcome(world);
  const screen = await Screen.open(test, world, world.cli, "--permission-mode", "default",
    "Free some space on this machine.");
  await screen.tmux("resize-window", "-x", COLUMNS, "-y", ROWS);
  const terminal = async (name) =>
    writeFile(join(FOLDER, `${name}.txt`), await screen.tmux("capture-pane", "-p", "-e"));
  const picture = async (name, target) => {
    await writeFile(join(FOLDER, `${name}.webp`), await small(phone, await phone.screenshot()));
    taps[name] = target && center(await target.boundingBox());
  };

  await screen.shows("The disk is nearly full");
  await terminal("works");
  await picture("nothing");
  goOn();
  await screen.shows("Do you want to proceed?");
  const [{ id }] = await stage.broker.pending();
  const row = phone.locator(`a[href="#/ask/${id}"]`);
  await row.waitFor();
  await terminal("waits");
  await picture("asked");
  await row.click();
  const allow = phone.locator(".detail-pane").getByText("Allow once", { exact: true });
  await allow.waitFor();
  await picture("opened", allow);
  await phone.waitForTimeout(800); // a card that has come up takes no tap at once
  await allow.click();
  const send = phone.getByRole("button", { name: "Send now" });
  await send.waitFor();
  await picture("chosen", send);
  await send.click();
  await screen.shows("are still there");
  await phone.getByText("Answered by you").waitFor();
  await terminal("goes-on");
  await picture("answered");
  const frames = { columns: Number(COLUMNS), rows: Number(ROWS), phone: PHONE.viewport, taps };
  await writeFile(join(FOLDER, "frames.json"), JSON.stringify(frames));
}

try {
  await mkdir(FOLDER, { recursive: true });
  await play();
} finally {
  for (const end of ends) await end();
}

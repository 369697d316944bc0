// SPDX-License-Identifier: Apache-2.0
// The rule, as a property: what is sent is what this person last saw marked when they sent it, to the
// ask that they saw. Random schedules of keys and clicks, drafts from elsewhere, echoes, slow replies,
// settlements, arrivals and reconnects; $PARLEY_SCHEDULES says how many, $PARLEY_SEED which.
import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world";

const COUNT = Number(process.env["PARLEY_SCHEDULES"] ?? 30_000);
const SEED = Number(process.env["PARLEY_SEED"] ?? 1);
const STEPS = 40;

test(`no answer differs from the picture that it was sent on, in ${COUNT} schedules`, () => {
  let sent = 0;
  let refused = 0;
  let offers = 0;
  let held = 0;
  for (let at = 0; at < COUNT; ++at) {
    const world = new World(SEED + at);
    try {
      for (let step = 0; step < STEPS; ++step) world.step();
      world.finish();
    } catch (error) {
      throw new Error(`seed ${SEED + at}: ${world.told.join(" → ")}\n${String(error)}`);
    }
    sent += world.sent;
    refused += world.refused;
    offers += world.offers;
    held += world.held;
  }
  // A property that nothing exercises proves nothing.
  const told = `${sent} sent, ${refused} refused, ${offers} offers, ${held} keys held back`;
  assert.ok(sent > COUNT / 2 && Math.min(refused, offers, held) > COUNT / 10, told);
});

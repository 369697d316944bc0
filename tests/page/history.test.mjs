// SPDX-License-Identifier: Apache-2.0
// The history of a busy place: hundreds decided by several people, and as many newer ones that wait.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, until } from "./support.mjs";

const DECIDED = 261;
const WAITING = 130;
const COMMANDS = ["npm test", "git push origin main", "terraform apply -auto-approve", "kubectl rollout restart deploy/api"];

let stage;
before(async () => {
  stage = await Stage.open();
  const zoe = (await stage.broker.call("POST", "/v1/tokens", { name: "zoe", role: "responder" })).body.token;
  const decide = async (index) => {
    const command = COMMANDS[index % COMMANDS.length];
    const ask = await stage.ask(
      { question: `Run ${command} for ${index === 0 ? "the very first change" : `change ${index}`}?`, header: "Bash", options: ["Allow once", "Deny"] },
      { session: `build-${index % 6}`, agent: "claude" },
    );
    const isFirst = index === 0;
    const answers = [isFirst ? { selected: [], other: "only after the freeze", note: "see the calendar" } : { selected: ["Allow once"] }];
    if (index === 5) await stage.broker.call("POST", `/v1/asks/${ask.id}/dismiss`, { reason: "duplicate" });
    else await stage.broker.call("POST", `/v1/asks/${ask.id}/answer`, { answers }, isFirst ? zoe : undefined);
    return ask;
  };
  await decide(0);
  for (let from = 1; from < DECIDED; from += 40)
    await Promise.all(Array.from({ length: Math.min(40, DECIDED - from) }, (_, index) => decide(from + index)));
  for (let from = 0; from < WAITING; from += 40)
    await Promise.all(
      Array.from({ length: Math.min(40, WAITING - from) }, (_, index) =>
        stage.ask({ question: `Waiting ${from + index}?`, options: ["Yes", "No"] }, { session: `build-${index % 6}` }),
      ),
    );
});
after(() => stage.close());

// Browsers lay rows out as they come into view: their texts are there before.
const rows = (page) => page.locator(".rows .row");

test("what was decided is there, however many newer ones wait, and all of it is reached", async () => {
  const page = await stage.visitAs("ada", "#/history");
  await rows(page).first().waitFor();
  await stage.picture(page, "history-busy");
  await until(async () => {
    await page.locator(".list-pane").evaluate((pane) => (pane.scrollTop = pane.scrollHeight));
    return (await rows(page).count()) === DECIDED;
  });
});

test("a search finds the first of all, by its words, its answer, its note and its decider", async () => {
  const page = await stage.visitAs("ada", "#/history");
  for (const words of ["very first", "after the freeze", "calendar", "zoe"]) {
    await page.getByLabel("Search the history").fill(words);
    await until(async () => {
      const texts = await rows(page).allTextContents();
      return texts.length === 1 && /very first change\?/.test(texts[0]);
    });
  }
  await page.reload();
  await until(async () => (await rows(page).count()) === 1);
  assert.equal(await page.getByLabel("Search the history").inputValue(), "zoe");
  await page.getByLabel("Search the history").fill("nothing of the kind");
  await page.getByText(/No .*match/).first().waitFor();
});

test("the filter by outcome looks at everything too", async () => {
  const page = await stage.visitAs("ada", "#/history");
  await page.getByLabel("Outcome").selectOption("dismissed");
  await until(async () => {
    const texts = await rows(page).allTextContents();
    return texts.length === 1 && /change 5\?/.test(texts[0]);
  });
});

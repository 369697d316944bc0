// SPDX-License-Identifier: Apache-2.0
// A whole conversation in the page, with a model that the server hosts: a person begins it, the model
// streams, asks, is answered where it asks, and goes on.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { HostingBroker } from "../clients/llm/support/hosting.mjs";
import { Model } from "../clients/llm/support/model.mjs";
import { ask } from "../clients/llm/support/world.mjs";
import { PHONE, Stage, strike, until } from "./support.mjs";

const FIRST = "Move our forty-seat office from Lisbon to Porto by the end of March, within 60,000 €";
const NAME = "Move our forty-seat office from Lisbon to Porto…";
const QUESTIONS = { questions: [
  { question: "Which mover shall I ask for an offer first?", header: "Mover", multiSelect: false, options: [
    { label: "Transportes Douro (Recommended)", description: "Moved the Braga office; 18,400 € last year" },
    { label: "Iberia Relocations", description: "Insures servers in transit; answers within two days" },
    { label: "Do it ourselves", description: "Two rented vans and a weekend" }] },
  { question: "What must not be without power for longer than an hour?", header: "Power", multiSelect: true, options: [
    { label: "Build servers", description: "Four of them" },
    { label: "Phone system", description: "Support answers until 20:00" }] },
] };
const PIECES = ["I have read last year's invoices.\n\n", "Two things **before** I write to anybody:"];

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let stage;
let model;
let reply;
let release;
const isReleased = () => new Promise((resolve) => { release = resolve; });

before(async () => {
  model = await Model.start((asked) => reply(asked));
  stage = await Stage.open(["--agent", "llm", "--api", "anthropic", "--base-url", model.url, "--model", "stand-in"],
    HostingBroker);
});
after(async () => {
  await stage.close();
  await model.stop();
});
afterEach(async () => {
  const { body } = await stage.broker.call("GET", "/v1/sessions?state=live");
  for (const { id } of body.sessions) await stage.broker.call("DELETE", `/v1/sessions/${id}`, {});
});

const composer = (page) => page.getByLabel("Message to the agent");
async function beginWith(page, text) {
  await page.getByRole("link", { name: "New session" }).click();
  await page.getByRole("heading", { name: "New session" }).waitFor(); // the conversation before it has a composer as well
  await composer(page).fill(text);
  await page.keyboard.press("Enter");
}
const said = (page) => page.locator(".said-by-agent").allInnerTexts();

for (const [screen, viewport] of [["desktop", undefined], ["phone", PHONE]])
  test(`on a ${screen}: begun, streamed, asked, answered, gone on`, async () => {
    const streamed = isReleased();
    reply = ({ users, results }) => {
      if (users.length > 1) return { text: `Noted: ${users.at(-1)}` };
      if (results.length > 0) return { text: "Then I write to **Transportes Douro** today." };
      return { text: PIECES.join(""), calls: [ask("toolu_1", QUESTIONS)], piece: 500, after: () => streamed };
    };
    const page = await stage.visit("#/sessions", viewport && { viewport });
    await beginWith(page, FIRST);
    await page.waitForURL(/#\/session\/ses_/);
    await page.getByRole("heading", { name: NAME }).waitFor();
    await page.locator(".said-by-person .bubble", { hasText: FIRST }).waitFor();
    await page.getByText("Working…").waitFor();
    release();
    const card = page.locator(".card");
    await card.waitFor();
    assert.match((await said(page)).join(""), /^I have read last year's invoices\.\s+Two things before I write to anybody:$/);
    assert.ok(!(await page.locator(".said-by-person").innerText()).includes("Queued"), "the model has it");
    await stage.picture(page, `hosted_asked_${screen}`);
    await page.getByRole("radio", { name: /Transportes Douro/ }).click();
    await card.locator("button.primary").click();
    await page.getByRole("checkbox", { name: /Build servers/ }).click();
    await page.getByRole("checkbox", { name: /Phone system/ }).click();
    await card.locator("button.primary").click();
    await card.getByText("Build servers, Phone system").waitFor();
    await card.locator("button.primary").click();
    await until(async () => (await said(page)).join("").includes("Then I write to Transportes Douro today."));
    const [{ result }] = model.requests.at(-1).results;
    assert.equal(result, "User has answered your questions: "
      + '"Which mover shall I ask for an offer first?"="Transportes Douro (Recommended)", '
      + '"What must not be without power for longer than an hour?"="Build servers, Phone system". '
      + "You can now continue with the user's answers in mind.");
    await page.locator(".settled-item", { hasText: /Transportes Douro/ }).waitFor();
    await composer(page).fill("And keep Friday free, please.");
    await page.keyboard.press("Enter");
    await page.getByText("Noted: And keep Friday free, please.").waitFor();
    await page.evaluate(axe);
    const faults = await page.evaluate(async () => (await window.axe.run(document)).violations
      .map(({ id, nodes }) => `${id}: ${nodes[0].html}`));
    assert.deepEqual(faults, []);
    await stage.picture(page, `hosted_done_${screen}`);
    await page.reload();
    await page.getByText("Noted: And keep Friday free, please.").waitFor();
    assert.equal((await said(page)).length, 3);
    await page.context().close();
  });

test("a message while it waits for an answer is queued, and follows the answer", async () => {
  reply = ({ users, results }) => {
    if (results.length === 0) return { calls: [ask("toolu_1", QUESTIONS)] };
    return { text: `Heard ${users.length}: ${users.at(-1)}` };
  };
  const page = await stage.visit("#/sessions");
  await beginWith(page, "Plan");
  await page.locator(".card").waitFor();
  await composer(page).fill("Ask nobody in August");
  await strike(page, "Enter");
  await page.getByText(/You · \d\d:\d\d · Queued/).waitFor();
  const [{ id }] = await stage.broker.pending(1);
  await stage.broker.answer(id, [{ selected: ["Do it ourselves"] }, { selected: ["Phone system"] }]);
  await page.getByText("Heard 2: Ask nobody in August").waitFor();
  await until(async () => !(await page.locator(".log").innerText()).includes("Queued"), "it is taken");
  await page.context().close();
});

test("what is wrong with the model is told in the conversation, and stays there", async () => {
  reply = () => ({ status: 404, error: { type: "not_found_error", message: "model: stand-in" } });
  const page = await stage.visit("#/sessions");
  await beginWith(page, "Plan");
  const told = page.locator(".log .told", { hasText: /stand-in cannot be asked: 404 model: stand-in; see whether --model/ });
  await told.waitFor();
  await stage.picture(page, "hosted_fault");
  await page.reload();
  await told.waitFor();
  reply = () => ({ text: "Here I am." });
  await composer(page).fill("And now?");
  await page.keyboard.press("Enter");
  await page.getByText("Here I am.").waitFor();
  await page.context().close();
});

test("two that begin with the same words are two sessions; without a connection the words are kept", async () => {
  reply = ({ users }) => ({ text: `Heard: ${users[0]}` });
  const page = await stage.visit("#/sessions");
  for (const heading of ["a/b ..", "a b .. 2"]) {
    await beginWith(page, "a/b ..");
    await page.getByRole("heading", { name: heading === "a/b .." ? "a b .." : heading, exact: true }).waitFor();
    await page.getByText("Heard: a/b ..").waitFor();
  }
  await page.context().setOffline(true);
  await beginWith(page, "Later then");
  await page.getByText("Not sent yet.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("Heard: Later then").waitFor();
  await page.context().close();
});

test("where nobody would answer, no session can be begun", async () => {
  const plain = await Stage.open();
  const page = await plain.visit("#/sessions");
  await page.getByText("No sessions yet").waitFor();
  assert.equal(await page.getByRole("link", { name: "New session" }).count(), 0);
  await plain.close();
});

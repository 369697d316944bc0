// SPDX-License-Identifier: Apache-2.0
// The demo as a newcomer meets it on the page: the menu is there at once, every scene can be played,
// and each ends in words that say what the agent would do with the answer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DESKTOP, PHONE, Stage, until } from "./support.mjs";

let stage;
before(async () => (stage = await Stage.open(["--demo"])));
after(() => stage.close());

const asked = (header) =>
  until(async () => {
    const { body } = await stage.broker.call("GET", "/v1/asks?state=pending");
    return body.asks.find(({ questions }) => questions[0].header === header);
  }, `the demo asks: ${header}`);

// What a person does with the demo's asks, one after the other.
class Visitor {
  constructor(page, look) {
    Object.assign(this, { page, look });
  }
  picture(name) {
    return stage.picture(this.page, `demo-${name}-${this.look}`);
  }
  async open(header, picture) {
    const { id, questions } = await asked(header);
    await this.page.evaluate((to) => (location.hash = to), `#/ask/${id}`);
    await this.page.locator(".card").getByText(questions[0].question).first().waitFor();
    if (picture) await this.picture(picture);
    return id;
  }
  option(name, role = "radio") {
    return this.page.locator(".card").getByRole(role, { name }).first();
  }
  button(name) {
    return this.page.locator(".card").getByRole("button", { name, exact: true });
  }
  // A single choice is sent after the time to undo, or now.
  async choose(header, label, picture) {
    const id = await this.open(header, picture);
    await this.option(label).click();
    await this.page.getByRole("button", { name: "Send now" }).click();
    assert.equal((await stage.settled(id)).outcome, "answered");
  }
  async type(text) {
    await this.page.getByLabel("Write your answer").fill(text);
  }
  async told(words, picture) {
    const { session_id } = await asked("Demo");
    await this.page.evaluate((to) => (location.hash = to), `#/session/${session_id}`);
    await this.page.locator(".said-by-agent", { hasText: words }).last().waitFor();
    if (picture) await this.picture(picture);
  }
}

async function interview(visitor) {
  await visitor.choose("Demo", /A short interview/);
  await visitor.open("Auth method", "interview");
  await visitor.option(/JWT/).click();
  await visitor.button("Next").click();
  await visitor.option(/PostgreSQL/).click();
  await visitor.button("Review").click();
  await visitor.button("Send answers").click();
  await visitor.open("Features");
  await visitor.option(/Two factors/, "checkbox").click();
  await visitor.button("Send answer").click();
  await visitor.told(/sign-in with JWT and PostgreSQL/, "told");
}

async function previews(visitor) {
  await visitor.choose("Demo", /Previews side by side/);
  await visitor.choose("Layout", /Top bar/, "previews");
  await visitor.told(/build this layout: Top bar/);
}

async function form(visitor) {
  await visitor.choose("Demo", /A form to fill in/);
  const id = await visitor.open("Name", "form");
  await visitor.type("billing");
  for (const step of ["region", "days", "contact", "remarks"]) {
    await visitor.button("Next").click();
    await visitor.picture(`form-${step}`);
  }
  await visitor.button("Review").click();
  await visitor.picture("form-review");
  await visitor.button("Send answers").click();
  const { answers } = await stage.settled(id);
  assert.deepEqual(answers.slice(0, 4).map(({ selected, other }) => other ?? selected.join()), ["billing", "Frankfurt", "Sunday", "ops@example.org"]);
  await visitor.told(/start billing in Frankfurt/);
}

async function plan(visitor) {
  await visitor.choose("Demo", /A plan to approve/);
  await visitor.open("Plan", "plan");
  await visitor.page.locator(".card").getByText("Cannot be undone:").waitFor();
  await visitor.choose("Plan", /Allow once/);
  await visitor.told(/The plan is approved/);
}

async function two(visitor) {
  await visitor.choose("Demo", /Two agents at once/);
  await visitor.open("Pages");
  await visitor.choose("Tone", /Briefly/, "two");
  await visitor.choose("Pages", /By cursor/);
  await visitor.told(/By cursor\. The second agent writes like this: Briefly/);
}

async function urgent(visitor) {
  await visitor.choose("Demo", /Something urgent/);
  await visitor.open("Release");
  await visitor.page.locator(".card .countdown").waitFor();
  await visitor.choose("Release", /Roll back/, "urgent");
  await visitor.told(/roll back to 2\.4\.0/, "end");
}

for (const [look, options] of [
  ["phone-dark", { viewport: PHONE, hasTouch: true, colorScheme: "dark" }],
  ["desktop-light", { viewport: DESKTOP, colorScheme: "light" }],
])
  test(`every scene, ${look}`, async () => {
    const page = await stage.visit("#/", options);
    const visitor = new Visitor(page, look);
    await page.getByText(/What shall I show you/).first().waitFor();
    await visitor.picture("first");
    await visitor.open("Demo", "menu");
    for (const play of [interview, previews, form, plan, two, urgent]) await play(visitor);
    await page.context().close();
  });

test("who has enough ends it, and a word in its chat begins it again", async () => {
  const page = await stage.visit("#/");
  const visitor = new Visitor(page, "enough");
  const { session_id } = await asked("Demo");
  await visitor.choose("Demo", /That is enough/);
  await page.evaluate((to) => (location.hash = to), `#/session/${session_id}`);
  await page.locator(".said-by-agent", { hasText: /That was the demo/ }).waitFor();
  await page.getByLabel("Message to the agent").fill("Once more, please.");
  await page.keyboard.press("Enter");
  await asked("Demo");
  await page.context().close();
});

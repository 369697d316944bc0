// SPDX-License-Identifier: Apache-2.0
// The page's files: small, with a strict policy, sent once.
import assert from "node:assert/strict";
import { get } from "node:http";
import { after, before, test } from "node:test";
import { Stage } from "./support.mjs";

const BYTES_MAX = 120 * 1024;
const ICONS = ["/icon-192.png", "/icon-512.png", "/icon-maskable.png", "/apple-touch-icon.png"];
const FILES = ["/", "/app.js", "/app.css", "/sw.js", "/icon.svg", "/manifest.webmanifest", ...ICONS];

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage.close());

// The bytes on the wire.
const size = (path) =>
  new Promise((resolve, reject) => {
    get(stage.broker.url + path, { headers: { "accept-encoding": "gzip" } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk) => (bytes += chunk.length));
      response.on("end", () => resolve(bytes));
    }).on("error", reject);
  });

test("all of it is at most 120 KiB on the wire", async () => {
  const sizes = await Promise.all(FILES.map(size));
  const total = sizes.reduce((sum, one) => sum + one, 0);
  assert.ok(total > 10_000 && total <= BYTES_MAX, `${total} bytes`);
});

test("a strict policy, and nothing is sent twice", async () => {
  const first = await fetch(`${stage.broker.url}/`);
  const policy = first.headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.match(policy, /; frame-ancestors 'none';/);
  assert.equal(first.headers.get("x-content-type-options"), "nosniff");
  const again = await fetch(`${stage.broker.url}/`, { headers: { "if-none-match": first.headers.get("etag") } });
  assert.equal(again.status, 304);
  const plain = await fetch(`${stage.broker.url}/app.js`, { headers: { "accept-encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  const packed = await fetch(`${stage.broker.url}/app.js`, { headers: { "accept-encoding": "gzip" } });
  assert.equal(packed.headers.get("content-encoding"), "gzip");
  assert.equal(await plain.text(), await packed.text());
});

test("it can be installed, and opens without a connection", async () => {
  const page = await stage.visit();
  const manifest = await (await fetch(`${stage.broker.url}/manifest.webmanifest`)).json();
  assert.equal(manifest.display, "standalone");
  const sources = manifest.icons.map(({ src }) => src);
  assert.deepEqual(ICONS.filter((icon) => !sources.includes(icon)), ["/apple-touch-icon.png"]);
  for (const icon of ICONS) {
    const response = await fetch(stage.broker.url + icon);
    assert.equal(response.headers.get("content-type"), "image/png");
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(bytes.readUInt32BE(16), bytes.readUInt32BE(20), icon); // square, and a picture
  }
  const browser = await page.context().newCDPSession(page);
  const { installabilityErrors } = await browser.send("Page.getInstallabilityErrors");
  // A test's browser keeps nothing, like a private window, and that alone stands in the way.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito"), []);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.reload();
  await stage.broker.kill();
  await page.reload();
  await page.getByText(/No connection/).waitFor();
  await stage.broker.restart();
  await page.locator(".connection.live").waitFor({ state: "attached" });
});

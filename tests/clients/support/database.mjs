// SPDX-License-Identifier: Apache-2.0
// Databases of a PostgreSQL server, for a test of its own each, and the server's end and beginning.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";

import { until } from "./broker.mjs";

const run = promisify(execFile);

// An empty one; gives its address. What a test finds there, it wrote.
export async function newDatabase(server) {
  const name = `parley_${randomUUID().replaceAll("-", "")}`;
  await run("createdb", ["--maintenance-db", server, name]);
  return server.replace(/\/[^/?]*\?/, `/${name}?`);
}

// Nobody is let in, and whoever is in is thrown out, until it is given back.
export async function takeAway(address) {
  await changeFromOutside(address, (name) => [`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`]);
}

export async function giveBack(address) {
  await changeFromOutside(address, (name) => [`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`]);
}

async function changeFromOutside(address, commands) {
  const [, name] = /\/([^/?]*)\?/.exec(address);
  const outside = address.replace(/\/[^/?]*\?/, "/postgres?");
  await run("psql", ["--dbname", outside, ...commands(name).flatMap((one) => ["-c", one])]);
}

// All databases of the server go with it. $PARLEY_POSTGRES_KEEPER has it in hand.
const tellKeeper = (signal) => process.kill(Number(process.env.PARLEY_POSTGRES_KEEPER), signal);

async function isThere() {
  return run("pg_isready", ["--dbname", process.env.PARLEY_SHARED_STORE]).then(() => true, () => false);
}

export async function killServer() {
  tellKeeper("SIGUSR1");
  await until(async () => !await isThere(), "the server is gone");
}

// Unless it is there.
export async function startServer() {
  if (await isThere()) return;
  tellKeeper("SIGUSR2");
  await until(isThere, "the server is there");
}

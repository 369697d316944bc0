// SPDX-License-Identifier: Apache-2.0
// An empty database at a PostgreSQL server; gives its address. What a test finds there, it wrote.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";

export async function newDatabase(server) {
  const name = `parley_${randomUUID().replaceAll("-", "")}`;
  await promisify(execFile)("createdb", ["--maintenance-db", server, name]);
  return server.replace(/\/[^/?]*\?/, `/${name}?`);
}

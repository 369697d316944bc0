// SPDX-License-Identifier: Apache-2.0
// The client for browsers and whatever else has fetch.
import { BaseClient } from "./client/client.js";
import type { ClientOptions } from "./client/options.js";
import { FetchTransport } from "./platform/fetch_transport.js";

export * from "./client/exports.js";

export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super(new FetchTransport(options), options);
  }
}

// SPDX-License-Identifier: Apache-2.0
// The client for Node: it finds the broker that `parley` itself would find.
import { BaseClient } from "./client/client.js";
import type { ClientOptions } from "./client/options.js";
import { findPlace } from "./platform/node_place.js";
import { NodeTransport } from "./platform/node_transport.js";

export * from "./client/exports.js";

export class Client extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super(new NodeTransport(findPlace(options)), options);
  }
}

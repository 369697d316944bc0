// SPDX-License-Identifier: Apache-2.0
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { Broker } from "./broker.mjs";

// A broker whose state folder tells where it is, and nothing else does.
export class HomeBroker extends Broker {
  get home() {
    return join(this.folder, "home");
  }

  get variables() {
    return { HOME: this.home, XDG_RUNTIME_DIR: this.folder };
  }

  async restart() {
    await mkdir(join(this.home, ".local/state/parley"), { recursive: true, mode: 0o700 });
    await super.restart();
  }
}

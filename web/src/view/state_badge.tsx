// SPDX-License-Identifier: Apache-2.0
import { t } from "../i18n";
import { stateOf } from "../model/state";
import type { Session } from "../model/types";

export const StateBadge = ({ session }: { session: Session }) => {
  const state = stateOf(session);
  return (
    <span class={`state ${state}`}>
      <span class="dot" />
      {t(`sessions.state_${state}`)}
    </span>
  );
};

// SPDX-License-Identifier: Apache-2.0
import { t, type Key } from "../i18n";
import { en } from "../i18n/en";
import { route } from "../model/route";
import { isSignedOut } from "../model/state";
import { Boundary } from "./boundary";
import { History } from "./history";
import { Inbox } from "./inbox";
import { useKeys } from "./keys";
import { LiveRegion } from "./live_region";
import { NameDialog } from "./name_dialog";
import { Sessions } from "./sessions";
import { Settings } from "./settings";
import { Shell } from "./shell";
import { SignIn } from "./sign_in";

// Must not break itself, whatever else did: in English, if need be.
function word(key: Key): string {
  try {
    return t(key);
  } catch {
    return en[key];
  }
}

const Broken = ({ again }: { again(): void }) => (
  <div class="blank" role="alert">
    <h2>{word("error.title")}</h2>
    <p class="hint">{word("error.text")}</p>
    <div class="buttons">
      <button type="button" class="primary" onClick={again}>
        {word("error.again")}
      </button>
      <button type="button" onClick={() => location.reload()}>
        {word("error.reload")}
      </button>
    </div>
  </div>
);

function View() {
  switch (route.value.view) {
    case "inbox":
      return <Inbox />;
    case "history":
      return <History />;
    case "sessions":
      return <Sessions />;
    case "settings":
      return <Settings />;
  }
}

function Main() {
  useKeys();
  return (
    <Shell>
      <Boundary of={route.value} fallback={(again) => <Broken again={again} />}>
        <View />
      </Boundary>
      <LiveRegion />
      <NameDialog />
    </Shell>
  );
}

// The last boundary: whatever broke, there is something to read and to press.
export const App = () => (
  <Boundary fallback={(again) => <Broken again={again} />}>{isSignedOut.value ? <SignIn /> : <Main />}</Boundary>
);

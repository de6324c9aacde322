// Loading what the server shows now, and putting it in place. What cannot be loaded just now is tried
// again, and the table stays as it is meanwhile.

import { $, parsed, table } from "./page.js";
import { passes, pause } from "./pause.js";
import { show } from "./show.js";
import { trouble } from "./voice.js";

let wanted = null; // the address to load next
let running = null; // the loop that loads until nothing is wanted

const whole = () => (table().dataset.at === undefined ? `${table().dataset.table}/board` : location.pathname + location.search);

export function refresh(address = whole()) {
  wanted = address;
  running ??= keepLoading().finally(() => { running = null; });
  return running;
}

// Resolves when all that was wanted is shown.
export const upToDate = () => running;

async function keepLoading() {
  let failures = 0;
  while (wanted) {
    const address = wanted;
    wanted = null;
    const answer = await fetch(address, { headers: { "X-Fragment": "1" } }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (text && !passes(answer)) {
      const fresh = $("#table", parsed(text));
      if (!answer.ok || !fresh) return location.reload(); // the page of the error says why
      failures = 0;
      trouble("loading");
      if (!wanted) await show(fresh);
    } else {
      failures += 1;
      trouble("loading", `The ${answer ? "board cannot be loaded" : "server cannot be reached"} just now. Trying again…`);
      await pause(failures);
      wanted ??= address;
    }
  }
  return undefined;
}

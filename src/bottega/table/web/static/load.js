// Loading what the server shows now, and putting it in place.

import { $, parsed, table } from "./page.js";
import { show } from "./show.js";
import { notice } from "./voice.js";

let unreachable = false; // whether the page says so
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
  while (wanted) {
    const address = wanted;
    wanted = null;
    try {
      const answer = await fetch(address, { headers: { "X-Fragment": "1" } });
      const fresh = $("#table", parsed(await answer.text()));
      if (!answer.ok || !fresh) return location.reload();
      if (unreachable) notice("");
      unreachable = false;
      if (!wanted) await show(fresh);
    } catch {
      unreachable = true;
      notice("The server cannot be reached just now. Trying again…", 0);
      await new Promise((resolve) => { setTimeout(resolve, 2000); });
      wanted ??= address;
    }
  }
  return undefined;
}

// Loading what the server shows now, and putting it in place. What cannot be loaded just now is tried
// again, and the table stays as it is meanwhile.

import { complete, told } from "./log.js";
import { $, parsed, table } from "./page.js";
import { passes, pause } from "./pause.js";
import { sending } from "./pick.js";
import { show } from "./show.js";
import { trouble } from "./voice.js";

let heard = null; // the number of what there is to see, as last told
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

// There is something new, the server says. What is being sent is answered with the board.
export function hear(number) {
  heard = number;
  if (!sending.size) catchUp();
}

export const catchUp = () => (heard === null || heard === table().dataset.seq ? undefined : refresh());

// Show the board that came as an answer, or load it.
export async function showAnswer(text) {
  await running; // a board that is older
  const fresh = text && $("#table", parsed(text));
  if (fresh && complete(fresh)) await show(fresh);
  else await refresh();
}

async function keepLoading() {
  let failures = 0;
  while (wanted) {
    const address = wanted;
    wanted = null;
    const answer = await fetch(address, { headers: told() }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (text && !passes(answer)) {
      const fresh = $("#table", parsed(text));
      if (!answer.ok || !fresh) return location.reload(); // the page of the error says why
      failures = 0;
      trouble("loading");
      if (wanted) continue;
      if (complete(fresh)) await show(fresh);
      else wanted = address;
    } else {
      failures += 1;
      trouble("loading", `The ${answer ? "board cannot be loaded" : "server cannot be reached"} just now. Trying again…`);
      await pause(failures);
      wanted ??= address;
    }
  }
  return undefined;
}

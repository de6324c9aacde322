// The page of an error that passes asks again by itself, and makes way once there is an answer.

import "./app.js";
import { $ } from "./page.js";
import { passes, pause } from "./pause.js";

async function answered(address) {
  const answer = await fetch(address, { method: "HEAD" }).catch(() => null);
  return answer && !passes(answer);
}

const { again } = $("[data-again]").dataset;
let failures = 1;
do await pause(failures++);
while (!await answered(again || location.href));
if (again) location.replace(again);
else location.reload();

// The link to a seat: what stands behind the # opens it. No server is sent that with an address, so that
// it is in no log; here it is sent as a form, and stays in no address bar.

import "./app.js";
import { $ } from "./page.js";
import { passes, pause } from "./pause.js";
import { notice, trouble } from "./voice.js";

const form = $("#sit");

async function sent() {
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } }).catch(() => null);
  return answer && !passes(answer) ? answer : null;
}

async function sit() {
  let answer = await sent();
  for (let failures = 1; !answer; failures += 1) {
    trouble("sitting", "The seat cannot be taken just now. Trying again…");
    await pause(failures);
    answer = await sent();
  }
  trouble("sitting");
  const told = await answer.json();
  if (answer.ok) location.replace(told.url);
  else notice(told.error);
}

function read() {
  if (!location.hash) return;
  form.elements.link.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  form.requestSubmit();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  sit();
});
addEventListener("hashchange", read);
read();

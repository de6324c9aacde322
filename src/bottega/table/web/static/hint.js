// A hint, asked for by a click.

import { $, onClick, onLink, parsed } from "./page.js";
import { arm, legal, pickOnly, takeBack, thing } from "./pick.js";
import { notice } from "./voice.js";

export function quietHint() {
  const box = $("#hint");
  if (box) box.hidden = true;
}

async function hint(link) {
  const box = $("#hint");
  link.setAttribute("aria-busy", "true");
  const answer = await fetch(link.href, { headers: { "X-Fragment": "1" } }).catch(() => null);
  link.removeAttribute("aria-busy");
  if (!answer?.ok) return notice("There is no hint just now.");
  box.replaceChildren(...parsed(await answer.text()).body.childNodes);
  box.hidden = false;
  if (innerWidth < 1000) takeBack();
  return undefined;
}

// A hint that is clicked is picked on the board, to be confirmed like any other choice.
function suggest(key) {
  const action = legal.find((one) => one.button.value === key);
  if (!action) return false;
  if (innerWidth < 1000) quietHint();
  pickOnly(action.picks.every(thing) ? action.picks : []);
  arm();
  const go = $(`:is(#confirm, .ways) button[value="${CSS.escape(key)}"]`);
  go?.scrollIntoView({ block: "nearest" });
  go?.focus();
  return true;
}

onLink("[data-hint]", hint);
onClick("[data-close-hint]", quietHint);
onClick("[data-suggest]", (button, event) => {
  if (suggest(button.value)) event.preventDefault();
});

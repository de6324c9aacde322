// Forms that are sent in the background: the page stays. News may replace the button that waits.

import { decided } from "./fresh.js";
import { catchUp, showAnswer } from "./load.js";
import { told } from "./log.js";
import { $, board } from "./page.js";
import { doubt, goOn, pickOnly, sending } from "./pick.js";
import { notice } from "./voice.js";

function mark(address, waits) {
  sending[waits ? "add" : "delete"](address);
  document.body.toggleAttribute("data-sending", sending.size > 0);
}

async function send(form, button) {
  const address = form.getAttribute("action");
  mark(address, true);
  button?.setAttribute("aria-busy", "true");
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const headers = { Accept: "application/json", ...told() };
    const answer = await fetch(address, { method: "POST", body, headers });
    const said = await answer.json().catch(() => ({}));
    if (!answer.ok) notice(said.error ?? "That did not work. Please try again.");
    else {
      if (form === board()) decided();
      if (form.dataset.quiet === "clear") form.reset(); // what was said; what is picked stays
      else {
        $("#choices")?.removeAttribute("open");
        pickOnly([]);
      }
    }
    await showAnswer(said.board);
  } catch {
    notice("The server cannot be reached just now. Nothing was sent; please try again.");
  } finally {
    mark(address, false);
    button?.removeAttribute("aria-busy");
    catchUp();
  }
  goOn();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const asking = event.submitter?.dataset.caution && event.submitter.closest("[data-ways]");
  if (asking) {
    event.preventDefault();
    doubt(event.submitter.value);
  } else if (form.dataset.quiet !== undefined) {
    event.preventDefault();
    // One decision at a time; what else is asked or said meanwhile is not lost.
    if (!sending.has(form.getAttribute("action"))) send(form, event.submitter);
  }
}, { capture: true });

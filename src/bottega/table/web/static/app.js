// Bottega in the browser. The pages are made by the server and work without any script; this is what
// all of them share. What happens at a table begins in table.js, which loads this one itself.

import { $, onClick } from "./page.js";
import "./switches.js";
import { notice, say } from "./voice.js";

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.getAttribute("method") !== "post") return;
  event.submitter?.setAttribute("aria-busy", "true");
  say("One moment.");
});

onClick("[data-open]", (button) => $(`#${button.dataset.open}`).showModal());
onClick("[data-copy]", copyText);

document.addEventListener("click", ({ target }) => {
  if (target.nodeName === "DIALOG") target.close(); // a click beside the sheet
  const menu = $(".menu[open]");
  if (menu && !menu.contains(target)) menu.removeAttribute("open");
});

async function copyText(button) {
  const field = $(`#${button.dataset.copy}`);
  field.select();
  const done = await navigator.clipboard?.writeText(field.value).then(() => true, () => false);
  notice(done ? "Copied." : "Press Ctrl+C to copy the marked link.", 3);
}

// Playing by keys.

import { $, $$ } from "./page.js";
import { quietHint } from "./hint.js";
import { choose, takeBack } from "./pick.js";
import { goTo } from "./replay.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// To the nearest thing in that direction.
function walk([dx, dy]) {
  const places = $$('[data-pick][role="button"], #confirm button, .ways button').filter((e) => e.checkVisibility());
  const middle = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const here = document.activeElement;
  if (!places.includes(here)) return places[0]?.focus();
  const [x, y] = middle(here);
  const far = (element) => {
    const [ex, ey] = middle(element);
    const ahead = (ex - x) * dx + (ey - y) * dy;
    const aside = Math.abs((ex - x) * dy) + Math.abs((ey - y) * dx);
    return ahead > 4 ? ahead + 2.5 * aside : Infinity;
  };
  const best = places.reduce((one, other) => (far(other) < far(one) ? other : one), here);
  if (far(best) < Infinity) best.focus();
  return undefined;
}

const keys = {
  u: () => $("[data-undo]")?.click(),
  h: () => $("[data-hint]")?.click(),
  r: () => $("[data-rules]")?.click(),
  a() {
    const menu = $("#choices");
    if (!menu) return;
    menu.open = !menu.open;
    $(menu.open ? "button" : "summary", menu).focus();
  },
  "?": () => $("#keys")?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  const at = document.activeElement;
  if (at.matches("input, textarea, select")) return;
  if (event.key === "Escape") {
    const menu = $(".menu[open]");
    if (menu) {
      menu.open = false;
      $("summary", menu).focus();
    } else {
      quietHint();
      takeBack();
    }
  } else if (event.key === " " && $("[data-autoplay]") && !at.matches("button, a, summary")) {
    event.preventDefault();
    $("[data-autoplay]").click();
  } else if ((event.key === "Enter" || event.key === " ") && at.matches("[data-pick]")) {
    event.preventDefault();
    choose(at.dataset.pick);
  } else if (ARROWS[event.key] && !at.closest(".menu, .log, .chat")) {
    event.preventDefault();
    if (!$("#at")) walk(ARROWS[event.key]);
    else if (ARROWS[event.key][0]) goTo(Number($("#at").value) + ARROWS[event.key][0]);
  } else if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});

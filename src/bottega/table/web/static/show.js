// Putting a fresh table in the place of the old one, and what follows from what it shows.

import { lookFrom, markFresh } from "./fresh.js";
import { quietHint } from "./hint.js";
import { newLines } from "./log.js";
import { morph } from "./morph.js";
import { $, $$, table } from "./page.js";
import { arm, last, legal, readLegal, sending, thing } from "./pick.js";
import { showReveal } from "./reveal.js";
import { still } from "./switches.js";
import { travel } from "./travel.js";
import { celebrate } from "./triumph.js";
import { ring, say } from "./voice.js";

export async function show(fresh) {
  const old = table();
  const news = newLines(old, fresh);
  const wasMine = old.dataset.mine === "yes";
  const wasOver = old.classList.contains("over");
  const asked = legal.map((action) => action.button.value).join(" ");
  const moved = fresh.dataset.seq !== old.dataset.seq || fresh.dataset.at !== old.dataset.at;
  const held = document.activeElement;
  const inside = old.contains(held);
  if (fresh.dataset.at !== undefined && moved) { // a replay marks what each step changed
    lookFrom(Math.abs(fresh.dataset.at - old.dataset.at) === 1 ? old : null);
  }
  const change = () => {
    morph(old, fresh);
    settle();
    // A hint stays as long as it answers the question that is asked.
    if (sending.size || legal.map((action) => action.button.value).join(" ") !== asked) quietHint();
    if (inside && (!held.isConnected || document.activeElement === document.body)) {
      (thing(held.dataset.pick ?? last) ?? $("#prompt")).focus();
    }
  };
  const moving = document.startViewTransition && !still() && !document.hidden;
  if (moving) await travel(fresh, change);
  else change();
  const now = table();
  const mine = now.dataset.mine === "yes";
  if (news.length || mine !== wasMine) say([...news.map((line) => line.textContent), $("#prompt").textContent].join(" "));
  if (now.classList.contains("over") && !wasOver) celebrate();
  else if (mine && !wasMine) ring("turn");
  else if (news.length) ring("news");
}

// After every change of the page: read what may be done and make it pickable.
export function settle() {
  readLegal();
  arm();
  markFresh();
  markBetter();
  showTurn();
  showReveal();
}

// At a decision that mattered: the things of the best choice.
function markBetter() {
  const better = (table().dataset.better ?? "").split(" ");
  for (const element of $$("[data-pick]", table())) {
    element.classList.toggle("better", better.includes(element.dataset.pick));
  }
}

// The tab says when it is your turn.
function showTurn() {
  const { owed, title } = table().dataset;
  if (title === undefined) return;
  const mine = owed === "yes";
  document.title = `${mine ? "● Your turn · " : ""}${title} · Bottega`;
  const mark = $("#tab-icon");
  const wanted = mine ? mark.dataset.turn : mark.dataset.usual;
  if (mark.getAttribute("href") !== wanted) mark.setAttribute("href", wanted);
}

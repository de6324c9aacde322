// Picking: the things on the board are the interface. What may be done stands in the list of all
// choices; here its things are made pickable, and what is picked is confirmed.

import { $, $$, board, onClick } from "./page.js";
import { ring, say } from "./voice.js";

export let legal = []; // what may be done: the button of "All choices", and the things to pick for it
export let chosen = []; // the picks so far
export let last = ""; // the first of those before
export const sending = new Set(); // addresses of forms that have not answered yet

const count = (items, item) => items.filter((other) => other === item).length;
const within = (few, many) => few.every((item) => count(few, item) <= count(many, item));
export const fitting = (picks) => legal.filter((action) => within(picks, action.picks));
const complete = () => fitting(chosen).filter((action) => action.picks.length === chosen.length);
export const thing = (pick) => board() && $(`[data-pick="${CSS.escape(pick)}"]`, board());

export function readLegal() {
  legal = $$("#choices button").map((button) => ({
    button,
    picks: button.dataset.picks.split(" ").filter(Boolean),
  }));
  if (!fitting(chosen).length) chosen = [];
}

export function arm() {
  for (const element of board() ? $$("[data-pick]", board()) : []) {
    const pick = element.dataset.pick;
    const picked = count(chosen, pick);
    const can = fitting([...chosen, pick]).length > 0;
    const could = can || picked || fitting([pick]).length > 0;
    element.classList.toggle("can", can);
    element.classList.toggle("chosen", picked > 0);
    if (picked > 1) element.dataset.times = picked;
    else delete element.dataset.times;
    const button = { role: "button", tabindex: 0, "aria-label": element.dataset.name, "aria-pressed": picked > 0 };
    for (const [name, value] of Object.entries(button)) {
      if (could) element.setAttribute(name, value ?? pick);
      else element.removeAttribute(name);
    }
    if (element.dataset.name) element.title = element.dataset.name;
  }
  showWays();
  showConfirm();
}

// Actions that have no thing on the board get a button beside the prompt.
function showWays() {
  const place = $("[data-ways]");
  if (!place) return;
  const out = legal.filter((action) => !action.picks.length || action.picks.some((pick) => !thing(pick)));
  fill(place, out.map(copyOf));
}

function copyOf(action) {
  const button = action.button.cloneNode(true);
  button.className = "go";
  button.title = button.textContent.trim();
  return button;
}

// What gives something away is asked first.
let doubted = null;

export function doubt(key) {
  doubted = key;
  chosen = [];
  arm();
  $("#confirm [data-take-back]")?.focus();
}

// News does not take a button from under the finger; after a decision the same words are a new question.
function fill(place, fresh) {
  const old = [...place.children];
  const same = fresh.length === old.length && fresh.every((node, at) => node.isEqualNode(old[at]));
  if (!same || sending.size) place.replaceChildren(...fresh);
}

function showConfirm() {
  const bar = $("#confirm");
  if (!bar) return;
  const doubtful = legal.find((action) => action.button.value === doubted);
  if (chosen.length || !doubtful) doubted = null;
  bar.hidden = !chosen.length && !doubted;
  if (bar.hidden) return bar.replaceChildren();
  const back = document.createElement("button");
  back.type = "button";
  back.textContent = doubted ? "Not yet" : "Take back";
  back.dataset.takeBack = "";
  const text = document.createElement("p");
  if (doubted) {
    text.className = "caution";
    text.textContent = doubtful.button.dataset.caution;
    const sure = copyOf(doubtful);
    sure.removeAttribute("data-caution");
    fill(bar, [text, sure, back]);
  } else {
    const ready = complete();
    const more = Math.min(...fitting(chosen).map((action) => action.picks.length)) - chosen.length;
    text.textContent = `Pick ${more} more.`;
    fill(bar, [...(ready.length ? [] : [text]), ...ready.map(copyOf), back]);
  }
  placeConfirm();
  return undefined;
}

// Where the eye is: beside the thing chosen last, or at the bottom of a phone.
export function placeConfirm() {
  const bar = $("#confirm");
  const target = doubted ? $(`[data-ways] button[value="${CSS.escape(doubted)}"]`) : chosen.length && thing(chosen.at(-1));
  if (!bar || bar.hidden) return;
  bar.style.left = bar.style.top = "";
  if (!target || innerWidth < 700) return;
  const near = target.getBoundingClientRect();
  const { width, height } = bar.getBoundingClientRect();
  const clamp = (value, most) => Math.max(6, Math.min(value, most - 6));
  const places = [
    [near.right + 8, near.top],
    [near.left - width - 8, near.top],
    [near.left, near.bottom + 8],
    [near.left, near.top - height - 8],
  ].map(([left, top]) => ({ left: clamp(left, innerWidth - width), top: clamp(top, innerHeight - height) }));
  const others = $$('[data-pick][role="button"]').map((element) => element.getBoundingClientRect());
  const shared = (from, size, other, its) => Math.max(0, Math.min(from + size, other + its) - Math.max(from, other));
  // How much of the things that could be picked would be hidden; of the chosen thing itself, none may be.
  const hidden = ({ left, top }) => [near, near, near, near, ...others]
    .map((other) => shared(left, width, other.left, other.width) * shared(top, height, other.top, other.height))
    .reduce((sum, area) => sum + area, 0);
  const best = places.reduce((one, other) => (hidden(other) < hidden(one) ? other : one));
  const zoom = bar.currentCSSZoom ?? 1; // a large screen shows the table larger
  bar.style.left = `${best.left / zoom}px`;
  bar.style.top = `${best.top / zoom}px`;
}

export function choose(pick) {
  if (fitting([...chosen, pick]).length) chosen.push(pick);
  else if (count(chosen, pick)) chosen.splice(chosen.lastIndexOf(pick), 1);
  else if (fitting([pick]).length) chosen = [pick];
  else return undefined;
  ring("pick");
  document.dispatchEvent(new Event("picked"));
  arm();
  if (innerWidth < 700) thing(pick).scrollIntoView({ block: "nearest" }); // the bar must not hide it
  const ready = complete();
  const more = fitting(chosen).some((action) => action.picks.length > chosen.length);
  // A small step that can be taken back needs no confirmation.
  if (ready.length === 1 && !more && thing(pick)?.dataset.now !== undefined) return board().requestSubmit(ready[0].button);
  say(ready.map((action) => action.button.textContent.trim()).join(". Or: ") || ($("#confirm p")?.textContent ?? ""));
  // By keyboard the hand goes on to the confirm button, once nothing more can be picked.
  if (ready.length && !more && document.activeElement?.matches(":focus-visible")) $("#confirm .go").focus();
  return undefined;
}

// Small decisions that are one movement of the hand: each as soon as it is possible, as long as it is.
let following = [];

export function chooseInTurn(picks) {
  following = [...picks];
  goOn();
}

export function goOn() {
  if (!following.length || sending.size) return;
  const next = following.shift();
  if (fitting([next]).length) choose(next);
  else following = [];
}

export function takeBack() {
  const last = chosen.at(-1);
  const was = doubted;
  doubted = null;
  chosen = [];
  arm();
  if (last) thing(last)?.focus();
  if (was) $(`[data-ways] button[value="${CSS.escape(was)}"]`)?.focus();
}

// Nothing is picked any more, or something else is.
export function pickOnly(picks) {
  last = chosen[0] ?? "";
  chosen = [...picks];
}

onClick('[data-pick][role="button"]', (element) => choose(element.dataset.pick));
onClick("[data-take-back]", takeBack);
addEventListener("resize", placeConfirm);
addEventListener("scroll", placeConfirm, true);

// What is new to the viewer: the things that changed since they last decided are marked.

import { $, $$, table } from "./page.js";

// A thing has changed when its signature has.
export const signature = ({ dataset }) => [dataset.zone, dataset.state, dataset.count].join("|");
const nameOf = (element) => element.dataset.thing ?? `${element.dataset.flow}@${element.dataset.zone}`;
export const counted = (root) => new Map($$("[data-thing], [data-flow]", root).map((e) => [nameOf(e), e]));
export const signatures = (root) => new Map([...counted(root)].map(([name, element]) => [name, signature(element)]));

// What the viewer saw when they last decided. Kept by table and seat, so that it survives a reload
// and a night; a spectator's begins when the page is opened.
const MOST_KEPT = 30;
let seen = null; // null: from now on
let seenBy; // the key under which it is kept

function recall() {
  const { table: url, seat, at } = table().dataset;
  const key = seat ? `seen ${url} ${seat}` : null;
  if (at !== undefined || key === seenBy) return;
  seenBy = key;
  const kept = key && localStorage.getItem(key);
  seen = kept ? new Map(JSON.parse(kept)) : null;
}

function keep() {
  if (!seenBy) return;
  const others = Object.keys(localStorage).filter((key) => key.startsWith("seen ") && key !== seenBy);
  for (const old of others.slice(MOST_KEPT)) localStorage.removeItem(old);
  localStorage.setItem(seenBy, JSON.stringify([...seen]));
}

// The viewer decided. On a screen that is passed on at once, what they saw before it is kept.
const revealed = () => $("#reveal")?.dataset.number;
let latest = null; // the viewer's latest decision: what they saw then, and the last reveal they knew

export function decided() {
  seen = signatures(table());
  latest = { seen, reveal: revealed() };
  keep();
  seen = null;
}

export function markFresh() {
  recall();
  if (!seen) {
    // What the own decision changed is no news; what it revealed of others is.
    const last = latest !== null && revealed() !== undefined && revealed() !== latest.reveal;
    seen = last ? latest.seen : signatures(table());
    keep();
  }
  for (const [name, element] of counted(table())) {
    element.classList.toggle("fresh", seen.get(name) !== signature(element));
  }
}

// A replay marks what each step changed; after a jump, nothing.
export function lookFrom(old) {
  seen = old ? signatures(old) : null;
}

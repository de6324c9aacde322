// The log of a table: the server sends what the page does not have yet, the rest stays.

import { $, $$, table } from "./page.js";

const list = (root) => $(".log ol", root)?.dataset ?? {};
const lines = (root) => $$(".log li[id]", root);
const place = (line) => Number(line.id.split("-")[1]);

// What is said to the server whenever a board is to come: what the page has of the log.
export const told = () => ({ "X-Told": list(table()).told ?? "" });

// Give a fresh table the lines that stay. Whether they fit together: the page may have changed since
// it was asked for.
export function complete(fresh) {
  const { after, kept } = list(fresh);
  if (!after) return true;
  if (after !== list(table()).told) return false;
  const stay = lines(table()).filter((line) => place(line) <= Number(kept));
  $(".log ol", fresh).append(...stay.map((line) => line.cloneNode(true)));
  return true;
}

// The lines that are new, the oldest first.
export function newLines(old, fresh) {
  const newest = Math.max(0, ...lines(old).map(place));
  return lines(fresh).filter((line) => place(line) > newest).reverse();
}

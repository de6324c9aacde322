// What everybody did stays until it is closed, or one goes on.

import { $, $$, onClick, table } from "./page.js";

let closed = sessionStorage.getItem("closed reveal");
let shown; // the number of what was last shown
let untilRead; // a timer: over a small board it goes by itself

function closeReveal() {
  const panel = $("#reveal");
  if (!panel || panel.hidden || innerWidth >= 1000) return; // beside the board it is in nobody's way
  hideReveal();
}

function hideReveal() {
  const panel = $("#reveal");
  closed = `${table().dataset.table} ${panel.dataset.number}`;
  sessionStorage.setItem("closed reveal", closed);
  panel.hidden = true;
}

export function showReveal() {
  const panel = $("#reveal");
  if (!panel) return;
  panel.hidden = closed === `${table().dataset.table} ${panel.dataset.number}`;
  if (panel.hidden || panel.dataset.number === shown) return;
  shown = panel.dataset.number;
  clearTimeout(untilRead);
  if (innerWidth < 1000) untilRead = setTimeout(closeReveal, 5000 + 700 * $$("li", panel).length);
}

onClick("[data-close-reveal]", hideReveal);
document.addEventListener("picked", closeReveal);

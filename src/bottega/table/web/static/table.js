// A table comes to life: it follows what others do, sends what one decides without leaving the page, and
// shows an ended game step by step.

import { $, $$, board, notice, page, ring, say, sending, showSwitches, still, table } from "./app.js";
import "./drag.js";
import { arm, choose, chosen, doubt, goOn, legal, pickOnly, readLegal, takeBack, thing } from "./pick.js";
import { decided, lookFrom, markFresh, morph, travel } from "./travel.js";

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

// Following the table

const lines = (root) => $$(".log li[id]", root);
const place = (line) => Number(line.id.split("-")[1]);
const log = (root) => $(".log ol", root)?.dataset ?? {};
const parsed = (text) => new DOMParser().parseFromString(text, "text/html").querySelector("#table");

// Of the log comes what the page does not have yet; the rest stays. Whether that fits together: the
// page may have changed since it was asked for.
function keepTold(old, fresh) {
  const { after, kept } = log(fresh);
  if (!after) return true;
  if (after !== log(old).told) return false;
  const stay = lines(old).filter((line) => place(line) <= Number(kept));
  $(".log ol", fresh).append(...stay.map((line) => line.cloneNode(true)));
  return true;
}

async function show(fresh) {
  const old = table();
  if (!keepTold(old, fresh)) return refresh();
  const newest = Math.max(0, ...lines(old).map(place));
  const news = lines(fresh).filter((line) => place(line) > newest).reverse();
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
      (thing(held.dataset.pick ?? lastPick) ?? $("#prompt")).focus();
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
  return undefined;
}

// Winning is a moment; then come the standings.
const MOMENT = 3400;

function celebrate() {
  ring("end");
  const scene = $("#triumph");
  if (!scene || still() || document.hidden) return;
  scene.dataset.playing = "";
  setTimeout(endMoment, MOMENT);
}

function endMoment() {
  const scene = $("#triumph[data-playing]");
  if (!scene || scene.dataset.playing === "out") return;
  scene.dataset.playing = "out";
  setTimeout(() => { delete scene.dataset.playing; }, 320);
}

// What everybody did stays until it is closed, or one goes on.
let closed = sessionStorage.getItem("closed reveal");
let told; // the number of what was last shown
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

function showReveal() {
  const panel = $("#reveal");
  if (!panel) return;
  panel.hidden = closed === `${table().dataset.table} ${panel.dataset.number}`;
  if (panel.hidden || panel.dataset.number === told) return;
  told = panel.dataset.number;
  clearTimeout(untilRead);
  if (innerWidth < 1000) untilRead = setTimeout(closeReveal, 5000 + 700 * $$("li", panel).length);
}

// After every change of the page: read what may be done and make it pickable.
function settle() {
  if (!table()) return;
  readLegal();
  arm();
  markFresh();
  markBetter();
  showSwitches();
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

let heard = null; // the number of what there is to see, as last told
let unreachable = false; // whether the page says so
let wanted = null; // the address to load next
let running = null; // the loop that loads until nothing is wanted; resolves when the page is up to date

const whole = () => (table().dataset.at === undefined ? `${table().dataset.table}/board` : location.pathname + location.search);

function refresh(address = whole()) {
  wanted = address;
  running ??= keepLoading().finally(() => { running = null; });
  return running;
}

async function keepLoading() {
  while (wanted) {
    const address = wanted;
    wanted = null;
    try {
      const answer = await fetch(address, { headers: { "X-Told": log(table()).told ?? "" } });
      const fresh = parsed(await answer.text());
      if (!answer.ok || !fresh) return location.reload();
      if (unreachable) notice("");
      unreachable = false;
      if (!wanted) await show(fresh);
    } catch {
      unreachable = true;
      notice("The server cannot be reached just now. Trying again…", 0);
      await new Promise((resolve) => { setTimeout(resolve, 2000); });
      wanted ??= address;
    }
  }
  return undefined;
}

function catchUp() {
  return heard === null || heard === table().dataset.seq ? undefined : refresh();
}

function follow() {
  const { table: url, seq } = table().dataset;
  const source = new EventSource(`${url}/events?seq=${seq}`);
  source.addEventListener("update", (event) => {
    heard = event.data;
    if (!sending.size) catchUp(); // else what was sent is answered with the board
  });
  source.addEventListener("gone", () => location.reload());
  source.onopen = async () => {
    if (!page.dataset.lost) return;
    delete page.dataset.lost;
    await refresh(); // what was missed meanwhile
    if (!page.dataset.lost) notice("");
  };
  source.onerror = () => {
    page.dataset.lost = "yes";
    notice("The connection is lost. Trying again…", 0);
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  };
}

// Forms: sent in the background, the page stays. News may replace the button that waits.

let lastPick = "";

function mark(address, waits) {
  sending[waits ? "add" : "delete"](address);
  document.body.toggleAttribute("data-sending", sending.size > 0);
}

async function send(form, button) {
  const address = form.getAttribute("action");
  mark(address, true);
  button?.setAttribute("aria-busy", "true");
  lastPick = chosen[0] ?? "";
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const headers = { Accept: "application/json", "X-Told": log(table()).told ?? "" };
    const answer = await fetch(address, { method: "POST", body, headers });
    const told = await answer.json().catch(() => ({}));
    if (!answer.ok) notice(told.error ?? "That did not work. Please try again.");
    else {
      if (form === board()) decided();
      if (form.dataset.quiet === "clear") form.reset(); // what was said; what is picked stays
      else {
        $("#choices")?.removeAttribute("open");
        pickOnly([]);
      }
    }
    await running; // a page that is older
    if (told.board) await show(parsed(told.board));
    else await refresh();
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

// Hint and rules

function quietHint() {
  const box = $("#hint");
  if (box) box.hidden = true;
}

async function hint() {
  const link = $("[data-hint]");
  const box = $("#hint");
  if (!link || !box) return;
  link.setAttribute("aria-busy", "true");
  const answer = await fetch(link.href, { headers: { "X-Fragment": "1" } }).catch(() => null);
  link.removeAttribute("aria-busy");
  if (!answer?.ok) return notice("There is no hint just now.");
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  box.replaceChildren(...fresh.body.childNodes);
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

async function rules() {
  const sheet = $("#rules");
  const body = $(".rules-body", sheet);
  if (!body.childElementCount) {
    const answer = await fetch($("[data-rules]").pathname);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    body.replaceChildren(...$("article.rules", fresh).childNodes);
    for (const part of $$("[id]", body)) part.id = `rules-${part.id}`;
    for (const link of $$('a[href^="#"]', body)) link.hash = `#rules-${link.hash.slice(1)}`;
    // Nobody leaves the table to read a ruling.
    for (const link of $$('a[href^="/"]', body)) link.target = "_blank";
  }
  sheet.showModal();
  const topic = $(`#rules-${CSS.escape(table().dataset.topic)}`, body);
  topic?.classList.add("topic");
  topic?.scrollIntoView({ block: "start" });
}

// Clicks and keys

document.addEventListener("picked", closeReveal);

document.addEventListener("click", (event) => {
  const target = event.target;
  if (target.closest("#triumph")) return endMoment();
  if (target.closest("[data-close-reveal]")) return hideReveal();
  if (target.closest("[data-autoplay]")) return autoplay();
  const picked = target.closest('[data-pick][role="button"]');
  if (picked) return choose(picked.dataset.pick);
  if (target.closest("[data-take-back]")) return takeBack();
  if (target.closest("[data-close-hint]")) return quietHint();
  const hinted = target.closest("[data-suggest]");
  if (hinted && suggest(hinted.value)) return event.preventDefault();
  const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
  for (const [selector, act] of [["[data-hint]", hint], ["[data-rules]", rules]]) {
    if (plain && target.closest(selector)) {
      event.preventDefault();
      return act();
    }
  }
  const step = target.closest("a[data-step]");
  if (step && plain && $("#at")) {
    event.preventDefault();
    return goTo(Number(step.dataset.step), step.dataset.by);
  }
  return undefined;
});

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
  h: hint,
  r: rules,
  a() {
    const menu = $("#choices");
    if (!menu) return;
    menu.open = !menu.open;
    $(menu.open ? "button" : "summary", menu).focus();
  },
  "?": () => $("#keys")?.showModal(),
};

document.addEventListener("keydown", (event) => {
  endMoment();
  if (!table() || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
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
    autoplay();
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

// What stays in sight below the question, as a board's clock does, must know how tall that is.
const question = $(".ask");
if (question) new ResizeObserver(() => page.style.setProperty("--ask", `${question.offsetHeight}px`)).observe(question);

// Replay: the slider and the step keys

function goTo(number, by = new URLSearchParams(location.search).get("by")) {
  const slider = $("#at");
  slider.value = number;
  const address = `${location.pathname}?at=${slider.value}${by === null ? "" : `&by=${by}`}`;
  history.replaceState(null, "", address);
  refresh(address);
}

document.addEventListener("input", (event) => {
  if (event.target.id === "at") goTo(Number(event.target.value));
});

// By itself, one step after the other, at the chosen speed.
let playing = false;

async function autoplay() {
  playing = !playing;
  showPlaying();
  if (playing && $("#at").value === $("#at").max) goTo(0);
  while (playing) {
    await new Promise((resolve) => { setTimeout(resolve, Number($("#tempo").value)); });
    await running;
    if (!playing) return;
    const next = Number($("#at").value) + 1;
    if (next > Number($("#at").max)) {
      playing = false;
      showPlaying();
      return;
    }
    goTo(next);
  }
}

function showPlaying() {
  $("[data-autoplay]").setAttribute("aria-pressed", playing);
  say(playing ? "It plays by itself." : "Paused.");
}

// Begin

if (innerWidth < 1000) for (const strip of $$("details.others")) strip.open = false;
settle();
if (table()?.dataset.live === "yes") follow();

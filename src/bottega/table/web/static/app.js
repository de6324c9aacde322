// Bottega in the browser. The pages are made by the server and work without any script; this is what
// all of them share: switches, sounds, notices. What happens at a table is in table.js, which loads
// this one itself.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
export const page = document.documentElement;
export const table = () => $("#table");
export const board = () => $("#board");

// Switches: kept in cookies, so that the server draws the first picture right

const remember = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`;
};
const remembered = (name) => document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1];
const asksForCalm = matchMedia("(prefers-reduced-motion: reduce)");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
export const still = () => asksForCalm.matches || page.dataset.motion === "off";
let sound = remembered("sound") !== "off";

const switches = {
  theme() {
    const dark = page.dataset.theme ? page.dataset.theme === "dark" : prefersDark.matches;
    page.dataset.theme = dark ? "light" : "dark";
    remember("theme", page.dataset.theme);
  },
  motion() {
    page.dataset.motion = page.dataset.motion === "off" ? "on" : "off";
    remember("motion", page.dataset.motion);
    say(`Movement is ${page.dataset.motion}.`);
  },
  sound() {
    sound = !sound;
    remember("sound", sound ? "on" : "off");
    say(`Sound is ${sound ? "on" : "off"}.`);
    ring("pick");
  },
};

export function showSwitches() {
  $('[data-switch="motion"]')?.setAttribute("aria-pressed", page.dataset.motion !== "off");
  $('[data-switch="sound"]')?.setAttribute("aria-pressed", sound);
}

// What is heard and said

const TONES = { pick: [520], news: [330], turn: [440, 660], end: [440, 554, 659, 880] };
const VOLUME = 0.045; // low: it is on until it is switched off
let audio;

// Browsers let a page sound only once somebody has clicked or typed.
for (const touch of ["pointerdown", "keydown"]) {
  document.addEventListener(touch, () => { if (sound) audio ??= new AudioContext(); }, { capture: true });
}

export function ring(what) {
  if (!sound || !audio) return;
  TONES[what].forEach((pitch, index) => {
    const from = audio.currentTime + index * 0.09;
    const tone = new OscillatorNode(audio, { frequency: pitch, type: "triangle" });
    const volume = new GainNode(audio, { gain: VOLUME });
    volume.gain.setValueAtTime(VOLUME, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 0.16);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.17);
  });
}

export const say = (text) => { $("#live").textContent = text; };

let noticeTimer;
export function notice(text, seconds = 6) {
  const box = $("#notice");
  clearTimeout(noticeTimer);
  box.textContent = text;
  box.hidden = !text;
  if (text && seconds) noticeTimer = setTimeout(() => { box.hidden = true; }, seconds * 1000);
}

// Clicks that mean the same everywhere

export const sending = new Set(); // addresses of forms that have not answered yet

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.getAttribute("method") !== "post") return;
  event.submitter?.setAttribute("aria-busy", "true");
  say("One moment.");
});

document.addEventListener("click", (event) => {
  const { target } = event;
  const toggle = target.closest("[data-switch]");
  if (toggle) {
    switches[toggle.dataset.switch]();
    return showSwitches();
  }
  const opener = target.closest("[data-open]");
  if (opener) return $(`#${opener.dataset.open}`).showModal();
  const copy = target.closest("[data-copy]");
  if (copy) return copyText(copy);
  if (target.nodeName === "DIALOG") return target.close(); // a click beside the sheet
  const menu = $(".menu[open]");
  if (menu && !menu.contains(target)) menu.removeAttribute("open");
  return undefined;
});

async function copyText(button) {
  const field = $(`#${button.dataset.copy}`);
  field.select();
  const done = await navigator.clipboard?.writeText(field.value).then(() => true, () => false);
  notice(done ? "Copied." : "Press Ctrl+C to copy the marked link.", 3);
}

showSwitches();

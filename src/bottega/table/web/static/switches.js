// The switches: light or dark, movement, sound. They are kept in cookies, so that the server draws the
// first picture right.

import { $, onClick, page } from "./page.js";
import { beHeard, heard, ring, say } from "./voice.js";

const remember = (name, value) => {
  document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`;
};
const remembered = (name) => document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1];
const asksForCalm = matchMedia("(prefers-reduced-motion: reduce)");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
export const still = () => asksForCalm.matches || page.dataset.motion === "off";
beHeard(remembered("sound") !== "off");

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
    beHeard(!heard);
    remember("sound", heard ? "on" : "off");
    say(`Sound is ${heard ? "on" : "off"}.`);
    ring("pick");
  },
};

function showSwitches() {
  $('[data-switch="motion"]')?.setAttribute("aria-pressed", page.dataset.motion !== "off");
  $('[data-switch="sound"]')?.setAttribute("aria-pressed", heard);
}

onClick("[data-switch]", (button) => {
  switches[button.dataset.switch]();
  showSwitches();
});
showSwitches();

// What the page says and sounds.

import { $ } from "./page.js";

export const say = (text) => { $("#live").textContent = text; };

let noticeTimer;
export function notice(text, seconds = 6) {
  const box = $("#notice");
  clearTimeout(noticeTimer);
  box.textContent = text;
  box.hidden = !text;
  if (text && seconds) noticeTimer = setTimeout(() => { box.hidden = true; }, seconds * 1000);
}

// What goes wrong is said as long as it does.
const troubles = new Map();
export function trouble(what, said = "") {
  if (said === (troubles.get(what) ?? "")) return;
  troubles.set(what, said);
  notice([...troubles.values()].find(Boolean) ?? "", 0);
}

const TONES = { pick: [520], news: [330], turn: [440, 660], end: [440, 554, 659, 880] };
const VOLUME = 0.045; // low: it is on until it is switched off
let audio;
export let heard = true;

export const beHeard = (loud) => { heard = loud; };

// Browsers let a page sound only once somebody has clicked or typed.
for (const touch of ["pointerdown", "keydown"]) {
  document.addEventListener(touch, () => { if (heard) audio ??= new AudioContext(); }, { capture: true });
}

export function ring(what) {
  if (!heard || !audio) return;
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

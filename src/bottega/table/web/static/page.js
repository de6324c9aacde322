// The page, and how its things are found.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
export const page = document.documentElement;
export const table = () => $("#table");
export const board = () => $("#board");

// A page, or a part of one, that the server sent.
export const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

export function onClick(selector, act) {
  document.addEventListener("click", (event) => {
    const element = event.target.closest(selector);
    if (element) act(element, event);
  });
}

// A link that is followed without leaving the page, unless it is to be opened elsewhere.
export function onLink(selector, act) {
  onClick(selector, (link, event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act(link);
  });
}

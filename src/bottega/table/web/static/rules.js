// The rules in a sheet beside the table, at the place that matters now.

import { $, $$, onLink, parsed, table } from "./page.js";

async function rules(link) {
  const sheet = $("#rules");
  const body = $(".rules-body", sheet);
  if (!body.childElementCount) {
    const answer = await fetch(link.pathname);
    body.replaceChildren(...$("article.rules", parsed(await answer.text())).childNodes);
    for (const part of $$("[id]", body)) part.id = `rules-${part.id}`;
    for (const a of $$('a[href^="#"]', body)) a.hash = `#rules-${a.hash.slice(1)}`;
    // Nobody leaves the table to read a ruling.
    for (const a of $$('a[href^="/"]', body)) a.target = "_blank";
  }
  sheet.showModal();
  const topic = $(`#rules-${CSS.escape(table().dataset.topic)}`, body);
  topic?.classList.add("topic");
  topic?.scrollIntoView({ block: "start" });
}

onLink("[data-rules]", rules);

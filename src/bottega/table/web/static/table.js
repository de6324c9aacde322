// A table comes to life.

import "./app.js";
import "./drag.js";
import { follow } from "./follow.js";
import "./keys.js";
import { $, $$, page, table } from "./page.js";
import "./replay.js";
import "./rules.js";
import "./send.js";
import { settle } from "./show.js";

// What stays in sight below the question, as a board's clock does, must know how tall that is.
const question = $(".ask");
if (question) new ResizeObserver(() => page.style.setProperty("--ask", `${question.offsetHeight}px`)).observe(question);

if (innerWidth < 1000) for (const strip of $$("details.others")) strip.open = false;
settle();
if (table().dataset.live === "yes") follow();

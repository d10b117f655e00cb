// The page's own script. What a file holds is put on the page as text alone (textContent).
"use strict";

const shown = JSON.parse(document.getElementById("document").textContent);
const at = (id) => document.getElementById(id);
const WIDTH = 16;
const COLOURS = 6;
const many = (count) => count.toLocaleString("en");
const hex = (number, digits = 1) => number.toString(16).padStart(digits, "0");

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// ---- the fields of all parts: each knows its part, the record around it, and its path

function adopt(node, owner) {
  node.part = owner.part;
  node.owner = owner;
  node.placed = node.p !== false;
  (node.c ?? []).forEach((child) => adopt(child, node));
}

function leavesOf(top) {
  const leaves = [...walk(top)].filter(
    (node) => node.owner && node.placed && node.e > node.s && !node.c?.some((child) => child.placed),
  );
  leaves.sort((one, other) => one.s - other.s || one.e - other.e);
  leaves.forEach((leaf, index) => { leaf.colour = index % COLOURS; });
  return leaves;
}

const parts = shown.parts.map((part, number) => {
  const end = part.start + part.size;
  const top = { n: part.name, s: part.start, e: end, c: part.nodes, part: number, owner: null, placed: true };
  part.nodes.forEach((node) => adopt(node, top));
  return { ...part, end, leaves: leavesOf(top), top };
});

function pathOf(node) {
  const names = [];
  for (let each = node; each.owner; each = each.owner) names.unshift(each.n);
  return names.join(".");
}

function* walk(node) {
  yield node;
  for (const child of node.c ?? []) yield* walk(child);
}

// ---- the tree

const items = new Map(); // node: its item, once it was made
let chosen = null;

function itemOf(node, level) {
  const folds = Boolean(node.c?.length);
  const item = element("li", null, {
    role: "treeitem", tabindex: -1, "aria-level": level, "aria-selected": false,
  });
  const row = element("div", null, { class: "row" });
  row.append(element("span", node.n, { class: "name" }));
  row.append(element("span", wordsOf(node), { class: "value" }));
  if (node.f !== undefined) row.append(buttonOf(node));
  item.append(row);
  item.setAttribute("aria-label", `${node.n} ${wordsOf(node)}`.trim());
  if (node.f !== undefined) item.setAttribute("aria-description", `Enter: ${nextOf(node)}`);
  if (node.x) item.classList.add("damaged");
  if (folds) item.setAttribute("aria-expanded", false);
  item.node = node;
  items.set(node, item);
  return item;
}

function wordsOf(node) {
  if (node.x) return `error: ${node.x}`;
  if (node.m) return `${many(node.m)} more`;
  if (node.v !== undefined) return node.v;
  if (node.owner) return node.r ?? "";
  return `${(node.e - node.s).toLocaleString("en")} bytes${node.part ? ", decoded" : ""}`;
}

function open(node) {
  const item = items.get(node);
  if (!node.c?.length) return;
  if (!item.querySelector(":scope > ul")) {
    const group = element("ul", null, { role: "group" });
    const level = Number(item.getAttribute("aria-level")) + 1;
    group.append(...node.c.map((child) => itemOf(child, level)));
    item.append(group);
  }
  item.setAttribute("aria-expanded", true);
  item.querySelector(":scope > ul").hidden = false;
}

function close(node) {
  const item = items.get(node);
  item.setAttribute("aria-expanded", false);
  item.querySelector(":scope > ul").hidden = true;
}

function reveal(node) {
  if (node.owner) {
    reveal(node.owner);
    open(node.owner);
  }
  return items.get(node);
}

const isOpen = (node) => items.get(node).getAttribute("aria-expanded") === "true";

function visible() {
  return [...at("tree").querySelectorAll('[role="treeitem"]')].filter((item) => item.offsetParent);
}

function moveTo(item) {
  if (!item) return;
  for (const each of at("tree").querySelectorAll('[tabindex="0"]')) each.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
  item.querySelector(".row").scrollIntoView({ block: "nearest", inline: "nearest" });
}

at("tree").addEventListener("click", (event) => {
  const item = event.target.closest('[role="treeitem"]');
  if (!item) return;
  if (event.target.closest("button")) {
    unfold(item.node);
    return;
  }
  if (item.node === chosen && item.node.c?.length) {
    if (isOpen(item.node)) close(item.node); else open(item.node);
  } else {
    open(item.node);
  }
  choose(item.node);
  moveTo(item);
});

at("tree").addEventListener("keydown", (event) => {
  const item = event.target.closest('[role="treeitem"]');
  if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
  const { node } = item;
  const all = visible();
  const place = all.indexOf(item);
  const acts = {
    ArrowDown: () => moveTo(all[place + 1]),
    ArrowUp: () => moveTo(all[place - 1]),
    Home: () => moveTo(all[0]),
    End: () => moveTo(all.at(-1)),
    ArrowRight: () => {
      if (node.c?.length && !isOpen(node)) open(node); else if (node.c?.length) moveTo(items.get(node.c[0]));
    },
    ArrowLeft: () => {
      if (node.c?.length && isOpen(node)) close(node); else if (node.owner) moveTo(items.get(node.owner));
    },
    Enter: () => (node.f === undefined ? choose(node) : unfold(node)),
    " ": () => choose(node),
  };
  if (!acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
});

// ---- folded runs: the server reads the next of their fields when they are asked for

const nextOf = (node) => (node.m > shown.most ? `Show the next ${many(shown.most)}` : `Show all ${many(node.m)}`);

function buttonOf(node) {
  return element("button", nextOf(node), {
    type: "button", tabindex: -1, "aria-label": `${nextOf(node)} of ${pathOf(node)}, ${wordsOf(node)}`,
  });
}

async function unfold(run) {
  if (run.fetching) return;
  run.fetching = true;
  run.skipped ??= 0;
  at("status").textContent = "Reading …";
  try {
    const answer = await fetch(`${shown.content.fields}/${run.f}/${run.skipped}`);
    if (!answer.ok) throw new Error(await answer.text());
    put(run, await answer.json());
  } catch (error) {
    at("status").textContent = `The fields could not be fetched: ${error.message}`;
  } finally {
    run.fetching = false;
  }
}

function put(run, { nodes, lines }) {
  const { owner } = run;
  for (const node of nodes) for (const each of walk(node)) if (each.l !== undefined) each.l += shown.lines.length;
  shown.lines.push(...lines);
  nodes.forEach((node) => adopt(node, owner));
  run.m -= nodes.length;
  run.skipped += nodes.length;
  run.s = nodes.at(-1).e;
  const before = items.get(run);
  const level = Number(before.getAttribute("aria-level"));
  const made = nodes.map((node) => itemOf(node, level));
  const left = { ...run, n: "…", fetching: false };
  owner.c.splice(owner.c.indexOf(run), 1, ...nodes, ...(run.m ? [left] : []));
  if (run.m) made.push(itemOf(left, level));
  before.replaceWith(...made);
  items.delete(run);
  parts[run.part].leaves = leavesOf(parts[run.part].top);
  choose(nodes[0]);
  moveTo(items.get(nodes[0]));
  at("status").textContent = `${many(nodes.length)} more are shown, ${many(run.m)} are left.`;
}

// ---- the bytes

let part = 0;
let page = 0;
let selected = null; // the offset of a byte
const fetched = new Map();

async function bytesOf(number, which) {
  const key = `${number}/${which}`;
  if (!fetched.has(key)) fetched.set(key, fetchPage(number, which));
  try {
    return await fetched.get(key);
  } catch (error) {
    fetched.delete(key);
    throw error;
  }
}

async function fetchPage(number, which) {
  const { url, pages } = shown.content;
  if (pages) {
    const text = pages[number]?.[which];
    return text === undefined ? null : Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  }
  const answer = await fetch(`${url}/${number}/${which}`);
  if (!answer.ok) throw new Error(await answer.text());
  return new Uint8Array(await answer.arrayBuffer());
}

async function showPage(number, which) {
  const { start, end, size } = parts[number];
  const last = Math.max(Math.ceil(size / shown.page) - 1, 0);
  part = number;
  page = Math.min(Math.max(which, 0), last);
  const first = start + page * shown.page;
  at("bytes").textContent = number ? `Bytes of ${parts[number].name}, decoded` : "Bytes";
  at("range").textContent = `${first.toLocaleString("en")} to ${Math.min(first + shown.page, end).toLocaleString("en")}`
    + ` of ${end.toLocaleString("en")}`;
  at("before").disabled = page === 0;
  at("after").disabled = page === last;
  const wanted = `${number}/${page}`;
  let data = null;
  try {
    data = size ? await bytesOf(number, page) : new Uint8Array();
  } catch (error) {
    at("status").textContent = `The bytes could not be fetched: ${error.message}`;
  }
  if (wanted !== `${part}/${page}`) return; // another page was asked for meanwhile
  if (data) {
    drawRows(first, data);
  } else {
    const why = shown.content.pages ? "This page does not have these bytes; `byteloom explore` shows them." : "No bytes.";
    at("hex").replaceChildren(element("caption", why));
  }
  mark();
}

function leafOf(number, offset) {
  return holding(number, offset, offset + 1)[0] ?? null;
}

function holding(number, start, end) {
  return parts[number].leaves.filter((leaf) => leaf.s < end && leaf.e > start);
}

function around(node, offset) {
  const inner = (node.c ?? []).find((child) => child.placed && child.s <= offset && offset < child.e);
  return inner ? around(inner, offset) : node;
}

function drawRows(first, data) {
  const colours = new Array(data.length).fill("gap");
  for (const leaf of holding(part, first, first + data.length)) {
    const from = Math.max(leaf.s - first, 0);
    colours.fill(leaf.x ? "bad" : `f${leaf.colour}`, from, Math.min(leaf.e - first, data.length));
  }
  const digits = Math.max(8, hex(parts[part].end).length);
  const rows = [];
  for (let row = 0; row < data.length; row += WIDTH) {
    const line = element("tr", null, { role: "row" });
    line.append(element("th", hex(first + row, digits), { scope: "row" }));
    const few = data.subarray(row, row + WIDTH);
    few.forEach((value, index) => {
      const offset = first + row + index;
      const cell = element("td", hex(value, 2), {
        role: "gridcell", tabindex: -1, class: colours[row + index], "data-at": offset,
      });
      line.append(cell);
    });
    for (let index = few.length; index < WIDTH; index += 1) line.append(element("td", ""));
    const text = [...few].map((value) => (value > 31 && value < 127 ? String.fromCharCode(value) : ".")).join("");
    line.append(element("td", text, { class: "text", "aria-hidden": true }));
    rows.push(line);
  }
  at("hex").replaceChildren(...rows);
}

function cellOf(offset) {
  return at("hex").querySelector(`[data-at="${offset}"]`);
}

function mark() {
  for (const cell of at("hex").querySelectorAll(".chosen, .within")) cell.classList.remove("chosen", "within");
  const cells = [...at("hex").querySelectorAll("[data-at]")];
  const reachable = cells.find((cell) => cell.tabIndex === 0);
  if (!reachable && cells.length) cells[0].tabIndex = 0;
  if (!chosen || chosen.part !== part || !chosen.placed) return;
  const look = chosen.c?.length ? "within" : "chosen"; // the fields of a record keep their colours
  for (const cell of chosen.owner ? cells : []) {
    const offset = Number(cell.dataset.at);
    if (offset >= chosen.s && offset < chosen.e) cell.classList.add(look);
  }
  const begin = cellOf(selected ?? chosen.s);
  if (begin) bringIntoSight(focusable(begin), selected === null ? cellOf(chosen.e - 1) : begin);
}

function bringIntoSight(begin, end) {
  const frame = at("dump").getBoundingClientRect();
  const below = end === null || end.getBoundingClientRect().bottom > frame.bottom; // null: on another page
  begin.scrollIntoView({ block: below && end !== begin ? "center" : "nearest", inline: "nearest" });
}

function focusable(cell) {
  for (const each of at("hex").querySelectorAll('[tabindex="0"]')) each.tabIndex = -1;
  cell.tabIndex = 0;
  return cell;
}

async function goTo(number, offset) {
  const { start, end } = parts[number];
  if (!(offset >= start && offset < end)) {
    at("status").textContent = `There is no byte ${offset}: wanted ${start} to ${end - 1}.`;
    return;
  }
  selected = offset;
  const leaf = leafOf(number, offset);
  const node = leaf ?? around(parts[number].top, offset);
  choose(node, offset);
  reveal(node).querySelector(".row").scrollIntoView({ block: "nearest", inline: "nearest" });
  if (!leaf) at("status").textContent = `Byte ${offset} belongs to no field of ${pathOf(node) || "the file"}.`;
  await showPage(number, Math.floor((offset - start) / shown.page));
}

at("hex").addEventListener("click", (event) => {
  const cell = event.target.closest("[data-at]");
  if (cell) goTo(part, Number(cell.dataset.at)).then(() => cellOf(Number(cell.dataset.at))?.focus());
});

at("hex").addEventListener("keydown", (event) => {
  const cell = event.target.closest("[data-at]");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  const here = Number(cell.dataset.at);
  const steps = {
    ArrowRight: 1, ArrowLeft: -1, ArrowDown: WIDTH, ArrowUp: -WIDTH, PageDown: shown.page, PageUp: -shown.page,
  };
  const { start, end } = parts[part];
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    goTo(part, here);
  } else if (steps[event.key]) {
    event.preventDefault();
    const to = here + steps[event.key];
    if (to >= start && to < end) goTo(part, to).then(() => cellOf(to)?.focus());
  }
});

at("before").addEventListener("click", () => { selected = null; showPage(part, page - 1); });
at("after").addEventListener("click", () => { selected = null; showPage(part, page + 1); });

// ---- the chosen field

function choose(node, offset = null) {
  if (chosen) items.get(chosen)?.setAttribute("aria-selected", false);
  chosen = node;
  selected = offset;
  reveal(node).setAttribute("aria-selected", true);
  describe(node);
  at("status").textContent = "";
  if (offset !== null) return;
  if (node.placed && node.s < parts[node.part].end) {
    showPage(node.part, Math.floor((node.s - parts[node.part].start) / shown.page));
  } else {
    mark();
  }
}

function describe(node) {
  const terms = element("dl", null);
  const line = (name, ...content) => {
    const cell = element("dd", null);
    cell.append(...content);
    terms.append(element("dt", name), cell);
  };
  line("Name", pathOf(node) || node.n);
  line("Bytes", element("span", placeOf(node), { class: "at" }));
  if (node.b) line("Bits", `${node.b[1]} from bit ${node.b[0]} of the first byte`);
  if (node.v !== undefined) line("Value", node.v);
  if (node.m) line("Folded", `${many(node.m)} fields or records are not shown one by one${howToUnfold(node)}`);
  if (node.r) line("Record", node.r);
  if (node.x) line("Error", node.x);
  const others = node.placed && !node.c ? holding(node.part, node.s, node.e).filter((each) => each !== node) : [];
  if (others.length && others.length <= 64) line("Shares bytes with", others.map(pathOf).join(", "));
  const made = [terms];
  if (node.l !== undefined) {
    const { spec, line: number, text } = shown.lines[node.l];
    line("Spec", `${spec}, line ${number}`);
    made.push(element("pre", text, { "aria-label": "Its lines in the spec" }));
  }
  at("field").replaceChildren(...made);
}

function howToUnfold(node) {
  if (node.f !== undefined) return `; Enter: ${nextOf(node)}`;
  return "; with --full the page has them all";
}

function placeOf(node) {
  if (!node.placed) return "none of its own";
  const size = node.e - node.s;
  const place = `offset ${node.s.toLocaleString("en")} (0x${hex(node.s)})`;
  return `${size.toLocaleString("en")} ${size === 1 ? "byte" : "bytes"} at ${place}`;
}

// ---- finding

at("find").addEventListener("submit", (event) => {
  event.preventDefault();
  const number = at("offset").value.trim();
  if (document.activeElement === at("offset") || !at("text").value) {
    const offset = /^(0x[0-9a-f]+|[0-9]+)$/i.test(number) ? Number(number) : NaN;
    if (number) goTo(part, offset);
    return;
  }
  const wanted = at("text").value.toLowerCase();
  const all = parts.flatMap((each) => [...walk(each.top)]);
  const begin = all.indexOf(chosen) + 1;
  const found = [...all.slice(begin), ...all.slice(0, begin)].find(
    (node) => `${node.n} ${wordsOf(node)}`.toLowerCase().includes(wanted),
  );
  if (found) {
    choose(found);
    items.get(found).querySelector(".row").scrollIntoView({ block: "nearest", inline: "nearest" });
    at("status").textContent = pathOf(found);
  } else {
    at("status").textContent = `No field has “${at("text").value}”.`;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input")) {
    event.preventDefault();
    at("text").focus();
  }
});

// ---- what is there from the start

at("file").textContent = shown.file;
at("title").textContent = shown.title;
if (shown.error) {
  const { message, offset } = shown.error;
  at("error").textContent = message;
  at("error").hidden = false;
  if (Number.isInteger(offset) && offset < parts[0].end) {
    const button = element("button", "Show the byte", { type: "button", id: "damage" });
    button.addEventListener("click", () => goTo(0, offset));
    at("error").append(" ", button);
  }
}
for (const { name, head, rows } of shown.about) {
  const table = element("table", null);
  table.append(element("caption", name));
  const line = (cells, kind) => {
    const made = element("tr", null);
    made.append(...cells.map((cell) => element(kind, cell)));
    return made;
  };
  if (head) table.append(line(head, "th"));
  table.append(...rows.map((row) => line(row, "td")));
  at("about").append(table);
}
at("about").hidden = !shown.about.length;
at("tree").append(...parts.map((each) => itemOf(each.top, 1)));
open(parts[0].top);
choose(parts[0].top);
moveTo(items.get(parts[0].top));

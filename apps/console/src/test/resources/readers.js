/* What a reader meets on the page that is open. Each answer is what is wrong with it, in words, one line for each place.
   The body of a function: its first argument is the question, the others are those of the question. */
"use strict";
const [question, ...rest] = arguments;

const style = (element, pseudo) => getComputedStyle(element, pseudo);
const hiddenFromSight = (element) => {
  for (let at = element; at; at = at.parentElement) if (style(at).clipPath.startsWith("inset(50%")) return true;
  return false;
};
const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !hiddenFromSight(element);
const called = (element) => {
  const own = element.tagName.toLowerCase() + (element.id ? "#" + element.id : "")
    + [...element.classList].map((one) => "." + one).join("");
  return own + " '" + (element.value || element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40) + "'";
};
const all = (selector, from = document) => [...from.querySelectorAll(selector)].filter(isShown);
const round = (number) => Math.round(number * 100) / 100;

/* Text nodes that are seen. */
const texts = (from = document.body) => {
  const walker = document.createTreeWalker(from, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() && !parent.closest("select, script, noscript, svg title") && isShown(parent)) {
      found.push(walker.currentNode);
    }
  }
  return found;
};

/* Of a text in a picture, what it is scaled to. */
const sizeOf = (element) => {
  const scale = element instanceof SVGElement ? element.getScreenCTM().a : 1;
  return parseFloat(style(element).fontSize) * scale;
};

/* Colours as red, green, blue from 0 to 255, and how opaque they are. */
const colour = (text) => {
  const numbers = text.match(/[\d.]+(?:e-?\d+)?%?/g).map(parseFloat);
  const [red, green, blue, alpha = 1] = numbers;
  return text.startsWith("color(") ? [red * 255, green * 255, blue * 255, alpha] : [red, green, blue, alpha];
};
const over = ([red, green, blue, alpha], [r, g, b]) =>
  [red * alpha + r * (1 - alpha), green * alpha + g * (1 - alpha), blue * alpha + b * (1 - alpha), 1];

/* WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance and #dfn-contrast-ratio */
const luminance = (rgb) => {
  const [red, green, blue] = rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one, other) => {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
};

/* What is behind an element's content: its own background over those of all that it is in. */
const behind = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) {
    const box = at instanceof SVGElement && at.localName === "g" && at.querySelector(":scope > rect");
    layers.push(colour(box ? style(box).fill : style(at).backgroundColor));
  }
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
};
const opacity = (element) => {
  let opaque = 1;
  for (let at = element; at; at = at.parentElement) opaque *= parseFloat(style(at).opacity);
  return opaque;
};
const faded = (rgb, element) => [rgb[0], rgb[1], rgb[2], rgb[3] * opacity(element)];

/* Large: from 24 px, or 18.66 px in bold (WCAG 2.2, 1.4.3: 18 and 14 point). */
const isLarge = (element) =>
  sizeOf(element) >= 24 || sizeOf(element) >= 18.66 && parseInt(style(element).fontWeight, 10) >= 700;
const isTabbable = (element) => element.tabIndex >= 0 && !element.disabled && !element.hidden;
const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
const tabbable = () => [...document.querySelectorAll(CONTROLS)]
  .filter((element) => isTabbable(element) && element.checkVisibility({ visibilityProperty: true }));

/* A label belongs to what is tapped. */
const target = (element) => {
  const label = element.matches("input") && element.closest("label");
  const boxes = [element, ...(label ? [label] : [])].map((one) => one.getBoundingClientRect());
  return {
    element,
    left: Math.min(...boxes.map((box) => box.left)), right: Math.max(...boxes.map((box) => box.right)),
    top: Math.min(...boxes.map((box) => box.top)), bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
};
const LEAST_TARGET = 24;

const ask = {
  unfold: () => document.querySelectorAll("details").forEach((details) => { details.open = true; }),

  /* What makes the page itself scroll to the side; what scrolls in a box of its own does not. */
  tooWide: () => {
    const width = rest[0];
    const scrolls = (element) => {
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
        if (style(at).overflowX !== "visible") return true;
      }
      return false;
    };
    const wide = all("body *").filter((element) => !scrolls(element))
      .filter((element) => element.getBoundingClientRect().right > width + 0.5).map(called);
    return document.documentElement.scrollWidth > width && !wide.length
      ? ["the page is " + document.documentElement.scrollWidth + " px wide"] : wide;
  },

  /* Else browsers lay it out as pages were in 1998, with tables that do not grow with the rest. */
  layout: () => document.compatMode === "CSS1Compat" ? [] : ["the page has no doctype"],

  smallTexts: () => texts().map((node) => node.parentElement).filter((parent) => sizeOf(parent) < rest[0])
    .map((parent) => called(parent) + " has " + round(sizeOf(parent)) + " px"),

  /* WCAG 2.2, 2.5.8. A link in a line of text may be smaller where nothing else is within 24 px around its middle. */
  smallTargets: () => {
    const targets = all(CONTROLS).filter((element) => !element.matches(".scroll, main")).map(target);
    const small = targets.filter((one) => one.right - one.left < LEAST_TARGET - 0.01 || one.bottom - one.top < LEAST_TARGET - 0.01);
    const middle = (one) => [(one.left + one.right) / 2, (one.top + one.bottom) / 2];
    const away = ([x, y], one) => Math.hypot(
      Math.max(one.left - x, 0, x - one.right), Math.max(one.top - y, 0, y - one.bottom));
    const isAlone = (one) => targets.every((other) => other === one || away(middle(one), other) >= LEAST_TARGET / 2
      && (!small.includes(other)
        || Math.hypot(middle(one)[0] - middle(other)[0], middle(one)[1] - middle(other)[1]) >= LEAST_TARGET));
    return small
      .filter((one) => !one.element.matches("a") || one.element.closest("nav, header, footer, .pager") || !isAlone(one))
      .map((one) => called(one.element) + " is " + round(one.right - one.left) + " x " + round(one.bottom - one.top) + " px");
  },

  /* Whether all of an element is to be seen without scrolling. */
  belowTheFirstScreen: () => {
    const element = all(rest[0])[0];
    if (!element) return [rest[0] + " is not there"];
    const box = element.getBoundingClientRect();
    const inside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    return inside ? [] : [called(element) + " reaches down to " + round(box.bottom) + " of " + innerHeight + " px"];
  },

  smallAnswer: () => all(rest[0]).slice(0, 1).filter((element) => sizeOf(element) < rest[1])
    .map((element) => called(element) + " has " + round(sizeOf(element)) + " px, less than " + rest[1]),

  /* Lines with more than so many letters; a letter takes about half of its height. */
  longLines: () => all("p, li, dt, dd, td, th, h1, h2, summary, pre, figcaption").flatMap((block) => {
    const lines = new Map();
    for (const node of texts(block)) {
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        const line = lines.get(Math.round(box.bottom)) || { left: Infinity, right: -Infinity };
        lines.set(Math.round(box.bottom), { left: Math.min(line.left, box.left), right: Math.max(line.right, box.right) });
      }
    }
    const longest = Math.max(0, ...[...lines.values()].map((line) => line.right - line.left)) / sizeOf(block) / 0.5;
    return longest > rest[0] ? [called(block) + " has a line of about " + Math.round(longest) + " letters"] : [];
  }),

  /* The part of the screen's width that the answer takes. */
  unusedRoom: () => {
    const boxes = all("#answer > *, #answer > * > *").map((element) => element.getBoundingClientRect());
    const used = (Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left))) / innerWidth;
    return used < rest[0] ? ["the answer takes " + round(used) + " of the width"] : [];
  },

  faintTexts: () => {
    const found = texts().map((node) => node.parentElement).map((element) => ({
      element, background: behind(element),
      ink: faded(colour(element instanceof SVGElement ? style(element).fill : style(element).color), element),
    }));
    for (const element of all("input, select")) {
      found.push({ element, background: behind(element), ink: colour(style(element).color) });
      if (element.placeholder) {
        found.push({ element, background: behind(element), ink: colour(style(element, "::placeholder").color) });
      }
    }
    return [found.length, ...new Set(found
      .map((one) => ({ ...one, ratio: contrast(over(one.ink, one.background), one.background) }))
      .filter((one) => one.ratio < (isLarge(one.element) ? 3 : 4.5))
      .map((one) => called(one.element) + " has " + round(one.ratio)))];
  },

  /* WCAG 2.2, 1.4.11: what shows where a control is, and the parts of pictures. */
  faintMarks: () => {
    const marks = [];
    const mark = (element, ink) => marks.push({ element, ink: faded(colour(ink), element), background: behind(element.parentElement) });
    all("input:not([type=hidden], [type=checkbox], [type=range]), select, .choice, .badge-provisional, .badge-quiet")
      .forEach((element) => mark(element, style(element).borderTopColor));
    all(".go").forEach((element) => mark(element, style(element).backgroundColor));
    all(".swatch").forEach((element) =>
      mark(element, style(element).borderTopStyle === "none" ? style(element).backgroundColor : style(element).borderTopColor));
    all("svg .ribbon").forEach((element) => mark(element, style(element).stroke !== "none" ? style(element).stroke
      : style(element).fill.replace("rgb(", "rgba(").replace(")", ", " + style(element).fillOpacity + ")")));
    all("svg .line, svg .step rect").forEach((element) => mark(element.matches("rect") ? element.parentElement : element, style(element).stroke));
    if (document.querySelector(".plot")) {
      for (const name of ["--accent", "--warn"]) {
        const box = document.querySelector(".plot");
        const probe = box.appendChild(document.createElement("i"));
        probe.className = "swatch chart-" + (name === "--warn" ? "late" : "final");
        marks.push({ element: probe, ink: colour(name === "--warn" ? style(probe).borderTopColor : style(probe).backgroundColor), background: behind(box) });
        probe.remove();
      }
    }
    return [marks.length, ...new Set(marks
      .map((one) => ({ ...one, ratio: contrast(over(one.ink, one.background), one.background) }))
      .filter((one) => one.ratio < 3)
      .map((one) => called(one.element) + " has " + round(one.ratio)))];
  },

  /* Every chart names a table that has a row for each of its points, and every other picture has words beside it. */
  picturesWithoutWords: () => [
    ...all("figure.chart").filter((figure) => {
      const table = document.getElementById(figure.getAttribute("aria-details"));
      const points = JSON.parse(figure.querySelector("[data-chart]").dataset.chart).labels.length;
      return !figure.querySelector("figcaption").textContent.trim() || !table || table.querySelectorAll("tbody tr").length < points;
    }),
    ...all("svg.flow-picture").filter((picture) =>
      picture.parentElement.querySelectorAll("table tbody tr").length < picture.querySelectorAll("path").length),
    ...all(".topology svg").filter((picture) => {
      const words = document.getElementById(picture.getAttribute("aria-details"))?.textContent || "";
      return ![...picture.querySelectorAll("title")].every((title) => words.includes(title.textContent.split(": ")[0]));
    }),
  ].map(called),

  /* From now on, what gets the focus is written down, with how that is to be seen. */
  watchFocus: () => {
    window.reached = [];
    document.addEventListener("focusin", ({ target: element }) => {
      const marked = style(element);
      const reach = parseFloat(marked.outlineOffset) + parseFloat(marked.outlineWidth);
      const box = element.getBoundingClientRect();
      const cut = [];
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
        if (style(at).overflowX === "visible" && style(at).overflowY === "visible") continue;
        const room = at.getBoundingClientRect();
        if (box.left - reach < room.left - 0.5 && at.scrollLeft === 0 || box.top - reach < room.top - 0.5
            || box.bottom + reach > room.bottom + 0.5) {
          cut.push(called(at));
        }
      }
      const around = behind(element.parentElement);
      const inside = behind(element);
      const ink = colour(marked.outlineColor);
      const ground = parseFloat(marked.outlineOffset) < 0 ? inside : around;
      const ratio = contrast(over(ink, ground), ground);
      const x = Math.min(innerWidth - 1, Math.max(0, box.left + box.width / 2));
      const y = Math.min(innerHeight - 1, Math.max(0, box.top + box.height / 2));
      const top = document.elementFromPoint(x, y);
      const faults = [];
      if (marked.outlineStyle === "none" || parseFloat(marked.outlineWidth) < 2) faults.push("has no mark");
      if (ratio < 3) faults.push("has a mark with a contrast of " + round(ratio));
      if (cut.length) faults.push("has its mark cut off by " + cut[0]);
      if (box.width < 2 || box.bottom < 0 || box.top > innerHeight) faults.push("is out of sight");
      else if (!top || !element.contains(top) && !top.contains(element)) faults.push("is covered by " + (top && called(top)));
      window.reached.push({ element, faults });
    });
  },

  tabbable: () => tabbable().length,

  /* Whether the keyboard has come round. */
  cameRound: () => window.reached.length > 1
    && (window.reached.filter((one) => one.element === window.reached[0].element).length > 1),

  faultsOfFocus: () => {
    const order = [];
    for (const { element } of window.reached) {
      if (order.includes(element)) break;
      order.push(element);
    }
    const expected = tabbable();
    const faults = expected.filter((element) => !order.includes(element)).map((element) => called(element) + " is not reached");
    const known = order.filter((element) => expected.includes(element));
    expected.filter((element) => order.includes(element)).forEach((element, index) => {
      if (known[index] !== element) faults.push(called(element) + " is out of order");
    });
    window.reached.forEach((one) => one.faults.forEach((fault) => faults.push(called(one.element) + " " + fault)));
    return [...new Set(faults)].slice(0, 30);
  },
};
return ask[question](...rest);

"use strict";
(() => {
  /* The server writes times in the zone of this cookie, so that nothing is rewritten on the page. */
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const cookie = "zone=" + encodeURIComponent(zone);
  if (zone && !document.cookie.split("; ").includes(cookie)) {
    document.cookie = cookie + "; path=/; max-age=31536000; samesite=lax";
    if (document.cookie.split("; ").includes(cookie)) {
      location.reload();
      return;
    }
  }

  /* Makes one element like another and touches only what differs, so that focus, selection, scrolling and what is
     unfolded stay as they are, and nothing flickers. */
  const KEEP = new Set(["open", "data-drawn"]);

  const morphAttributes = (from, to) => {
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && !KEEP.has(name)) from.removeAttribute(name);
    }
    for (const { name, value } of to.attributes) {
      if (!KEEP.has(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
  };

  const same = (one, other) =>
    one && one.nodeType === other.nodeType && one.nodeName === other.nodeName && (one.id || "") === (other.id || "");

  const morphChildren = (from, to) => {
    const byId = new Map();
    for (const child of from.children) if (child.id) byId.set(child.id, child);
    let here = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      const known = wanted.id ? byId.get(wanted.id) : undefined;
      if (known && known !== here && same(known, wanted)) from.insertBefore(known, here);
      const match = known && same(known, wanted) ? known : here;
      if (same(match, wanted)) {
        morph(match, wanted);
        here = match.nextSibling;
      } else {
        from.insertBefore(wanted, here);
      }
    }
    while (here) {
      const next = here.nextSibling;
      here.remove();
      here = next;
    }
  };

  const morph = (from, to) => {
    if (from.hasAttribute?.("data-keep")) return;
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
      return;
    }
    morphAttributes(from, to);
    if (!from.hasAttribute("data-chart")) morphChildren(from, to);
  };

  htmx.defineExtension("morph", {
    isInlineSwap: (style) => style === "morph",
    handleSwap: (style, target, fragment) => {
      if (style !== "morph") return false;
      const wanted = fragment.id === target.id ? fragment : fragment.querySelector("#" + target.id);
      if (!wanted) {
        /* Not an answer of the console: a page to log in with. */
        location.reload();
        return [target];
      }
      morph(target, wanted);
      drawCharts();
      return [target];
    },
  });

  /* Charts: places are numbers, all that is read is text from the server. */
  const charts = new Map();

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const styles = {
    final: { stroke: "--accent", fill: "--accent-soft" },
    provisional: { stroke: "--accent", dash: [3, 3] },
    late: { stroke: "--warn", dash: [4, 3] },
  };

  const legend = (chart) => (plot) => {
    const index = plot.cursor.idx;
    const line = plot.root.parentNode.querySelector(".reading");
    const texts = chart.series
      .filter((one) => index != null && one.values[index] != null)
      .map((one) => one.name + ": " + one.texts[index]);
    line.textContent = texts.length ? chart.labels[index] + " · " + texts.join(" · ") : "";
  };

  /* With letters as large as the page's small ones, and as high as there is room. */
  const options = (chart, width, letter = 0.75 * parseFloat(getComputedStyle(document.documentElement).fontSize)) => ({
    width,
    height: Math.max(150, Math.min(Math.max(260, Math.round(innerHeight / 4)), Math.round(width / 4))),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false, range: (u, low, high) => [low - 0.6, high + 0.6] },
      y: { range: [Math.min(...chart.heights.map((height) => height.value)), Math.max(...chart.heights.map((height) => height.value), 1e-9)] },
    },
    axes: [
      {
        stroke: colour("--faint"), grid: { show: false }, ticks: { stroke: colour("--line"), size: 4 },
        font: letter + "px system-ui, sans-serif", incrs: [1], space: 1, size: 3 * letter,
        splits: () => chart.ticks.filter((tick, i) => i % Math.ceil(chart.ticks.length * 12.5 * letter / width) === 0),
        values: (plot, splits) => splits.map((index) => width < 520 ? chart.labels[index].replace(/^\d{4}-/, "") : chart.labels[index]),
      },
      {
        stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false },
        font: letter + "px system-ui, sans-serif", splits: () => chart.heights.map((height) => height.value),
        incrs: [chart.heights.length > 1 ? chart.heights[1].value : 1], space: 1,
        values: () => chart.heights.map((height) => height.text),
        size: 16 + 0.6 * letter * Math.max(...chart.heights.map((height) => height.text.length)),
      },
    ],
    series: [{}].concat(chart.series.map((one) => {
      const style = styles[one.style] || styles.final;
      return {
        stroke: colour(style.stroke), width: chart.kind === "bars" ? 1 : 2, dash: style.dash,
        fill: style.fill ? colour(style.fill) : undefined,
        paths: chart.kind === "bars" ? uPlot.paths.bars({ size: [0.72, 48] }) : undefined,
        points: { show: chart.kind !== "bars" && chart.labels.length < 60, size: 5 },
      };
    })),
    hooks: { setCursor: [legend(chart)] },
  });

  const draw = (box) => {
    const text = box.getAttribute("data-chart");
    const width = Math.floor(box.clientWidth);
    const theme = matchMedia("(prefers-color-scheme: dark)").matches;
    const state = text + width + theme;
    if (!width || charts.get(box)?.state === state) return;
    const chart = JSON.parse(text);
    charts.get(box)?.plot.destroy();
    if (!box.querySelector(".reading")) {
      const reading = document.createElement("p");
      reading.className = "reading";
      box.append(reading);
    }
    const data = [chart.labels.map((label, index) => index)].concat(chart.series.map((one) => one.values));
    charts.set(box, { state, plot: new uPlot(options(chart, width), data, box) });
  };

  const drawCharts = () => {
    for (const box of charts.keys()) if (!box.isConnected) charts.delete(box);
    document.querySelectorAll("[data-chart]").forEach(draw);
  };

  /* What a slider means is said in words, beside it and to screen readers. */
  const name = (slider) => {
    const texts = slider.dataset.texts?.split("|");
    let text = texts ? texts[slider.value] : slider.value;
    if (slider.hasAttribute("data-times")) {
      text = slider.value === slider.max ? slider.dataset.now
        : new Date(slider.value * 1000).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" });
      slider.title = new Date(slider.value * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC";
    }
    slider.setAttribute("aria-valuetext", text);
    /* Not an output element: that would take the label away from the slider. */
    let output = slider.parentNode.querySelector(".means");
    if (!output) {
      output = document.createElement("span");
      output.className = "means";
      output.ariaHidden = "true";
      slider.before(output);
    }
    output.textContent = text;
  };

  document.addEventListener("input", (event) => {
    if (event.target.matches("input[type=range]")) name(event.target);
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden && event.target.id === "live") event.preventDefault();
  });
  const unreachable = (is) => { document.getElementById("unreachable").hidden = !is; };
  document.addEventListener("htmx:sendError", () => unreachable(true));
  document.addEventListener("htmx:timeout", () => unreachable(true));
  document.addEventListener("htmx:afterOnLoad", () => unreachable(false));

  document.querySelectorAll("input[type=range]").forEach(name);
  /* On a phone the answer comes before what is rarely asked; where there is room, nothing is folded. */
  const narrow = matchMedia("(max-width: 47.99rem)");
  const fold = () => document.querySelectorAll("details[data-fold=narrow]").forEach((details) => {
    details.open = !narrow.matches;
  });
  fold();
  narrow.addEventListener("change", fold);
  document.querySelectorAll("nav [aria-current], .chooser [aria-current]").forEach((chosen) => {
    const strip = chosen.closest("ul");
    strip.scrollLeft = chosen.offsetLeft - strip.offsetLeft - (strip.clientWidth - chosen.offsetWidth) / 2;
  });
  document.body.classList.add("scripted");
  drawCharts();
  addEventListener("resize", drawCharts);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
})();

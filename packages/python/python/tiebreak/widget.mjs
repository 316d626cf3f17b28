// The fleet over time: a square for each machine, a slider over the frames, and a metric as a chart.

const EMPTY = "#e9a23b";
const FAILED = "#b3261e";
const UNREADY = "#8a8a8a";
/** Quarters of a machine's cores in use, light to dark. */
const USED = ["#c6dbef", "#8fbbe0", "#4a8ac6", "#1d4f91"];

/** What the byte of a machine says; crates/sim/src/observation/machine_byte.rs writes it. */
export function machineState(byte) {
  if (byte === 0xff) return { state: "failed", share: 0, color: FAILED };
  const fullness = byte & 0x7f;
  const share = fullness === 0 ? 0 : (fullness - 1) / 125;
  if (byte & 0x80) return { state: "takes no VMs", share, color: UNREADY };
  if (fullness === 0) return { state: "empty", share, color: EMPTY };
  return { state: "used", share, color: USED[Math.min(3, Math.floor(4 * share))] };
}

/** "3 d 04:30" of a time in ms. */
export function clock(ms) {
  const minutes = Math.floor(ms / 60_000);
  const two = (number) => String(number).padStart(2, "0");
  return `${Math.floor(minutes / 1_440)} d ${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
}

function made(kind, into, given = {}) {
  const element = Object.assign(document.createElement(kind), given);
  into.append(element);
  return element;
}

function render({ model, el }) {
  const root = made("div", el);
  root.style.cssText = "max-width:720px;font:14px system-ui,sans-serif";
  const canvas = made("canvas", root, { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  canvas.style.cssText = "width:100%;image-rendering:pixelated;cursor:pointer";
  const legend = made("div", root);
  for (const [color, word] of [[EMPTY, "empty"], [USED[0], "up to a quarter of its cores"], [USED[3], "more than three quarters"], [UNREADY, "takes no VMs"], [FAILED, "failed"]]) {
    const item = made("span", legend);
    item.style.cssText = "margin-right:1em;white-space:nowrap";
    made("span", item).style.cssText = `display:inline-block;width:.8em;height:.8em;margin-right:.3em;background:${color}`;
    item.append(word);
  }
  const row = made("div", root);
  row.style.cssText = "display:flex;gap:.7em;align-items:center;margin:.4em 0";
  const play = made("button", row, { textContent: "Play" });
  const slider = made("input", row, { type: "range", min: 0, ariaLabel: "Time" });
  slider.style.flex = "1";
  const told = made("output", root);
  told.style.display = "block";
  const label = made("label", root, { textContent: "Metric " });
  const choice = made("select", label);
  for (const [id, title] of model.get("metrics")) made("option", choice, { value: id, textContent: title });
  const chart = made("div", root);

  /** The machines of the frame that is shown. */
  const frame = () => {
    const view = model.get("frames");
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    const machines = bytes.length / Math.max(1, model.get("times_ms").length);
    return bytes.subarray(model.get("time") * machines, (model.get("time") + 1) * machines);
  };
  const columns = (count) => Math.max(1, Math.ceil(Math.sqrt(count * 4)));

  function draw() {
    const [machines, times, at] = [frame(), model.get("times_ms"), model.get("time")];
    const wide = columns(machines.length);
    const side = Math.max(1, Math.floor(720 / wide));
    canvas.width = wide * side;
    canvas.height = Math.ceil(machines.length / wide) * side;
    const pen = canvas.getContext("2d");
    let empty = 0;
    machines.forEach((byte, machine) => {
      const { state, color } = machineState(byte);
      empty += state === "empty" ? 1 : 0;
      pen.fillStyle = color;
      const gap = side > 3 ? 1 : 0;
      pen.fillRect((machine % wide) * side, Math.floor(machine / wide) * side, side - gap, side - gap);
    });
    const chosen = model.get("machine");
    if (chosen >= 0 && chosen < machines.length) {
      pen.strokeStyle = "#000";
      pen.lineWidth = 2;
      pen.strokeRect((chosen % wide) * side, Math.floor(chosen / wide) * side, side, side);
    }
    slider.max = Math.max(0, times.length - 1);
    slider.value = at;
    const time = clock(times[at] ?? 0);
    slider.setAttribute("aria-valuetext", time);
    const one = chosen >= 0 && chosen < machines.length ? ` Machine ${chosen}: ${words(machines[chosen])}.` : "";
    told.textContent = `${time}: ${empty} of ${machines.length} machines empty.${one}`;
    canvas.setAttribute("aria-label", told.textContent);
  }

  function words(byte) {
    const { state, share } = machineState(byte);
    return state === "used" || share > 0 ? `${state}, ${Math.round(100 * share)} % of its cores` : state;
  }

  function drawChart() {
    choice.value = model.get("metric");
    // The engine's own drawing, whose texts are escaped.
    chart.innerHTML = model.get("charts")[model.get("metric")] ?? "";
  }

  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  canvas.addEventListener("click", (event) => {
    const [box, wide] = [canvas.getBoundingClientRect(), columns(frame().length)];
    const side = box.width / wide;
    const machine = Math.floor((event.clientY - box.top) / side) * wide + Math.floor((event.clientX - box.left) / side);
    if (machine < frame().length) set("machine", machine);
  });
  canvas.addEventListener("keydown", (event) => {
    const wide = columns(frame().length);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -wide, ArrowDown: wide }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set("machine", Math.min(frame().length - 1, Math.max(0, model.get("machine") + step)));
  });
  slider.addEventListener("input", () => set("time", Number(slider.value)));
  choice.addEventListener("change", () => set("metric", choice.value));
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (timer !== null) return stop();
    const last = model.get("times_ms").length - 1;
    if (model.get("time") >= last) set("time", 0);
    play.textContent = "Pause";
    timer = setInterval(() => (model.get("time") >= last ? stop() : set("time", model.get("time") + 1)), 60);
  });
  const watched = [["change:time", draw], ["change:machine", draw], ["change:frames", draw], ["change:charts", drawChart], ["change:metric", drawChart]];
  for (const [event, hear] of watched) model.on(event, hear);
  draw();
  drawChart();
  return () => {
    stop();
    for (const [event, hear] of watched) model.off(event, hear);
  };
}

export default { render };

// Boot lines of the layout worker: steps the layout in slices and posts the positions after each.

import init, { LayoutWorker } from './web.js';

/** Milliseconds of one slice: a frame of a 60 Hz screen, a little to spare. */
const SLICE = 12;

const ready = init({ module_or_path: new URL('web_bg.wasm', import.meta.url) });
let layout;
let load = 0;
let quiet = false;
let running = false;

self.onmessage = async ({ data }) => {
  await ready;
  if (data.load) {
    layout?.free();
    layout = new LayoutWorker(data.vertices, data.edges, data.places);
    ({ load, quiet } = data);
  } else if (data.unpin) {
    layout?.unpin();
  } else {
    layout?.pin(data.pin, data.x, data.y);
  }
  if (layout && !running) {
    running = true;
    step();
  }
};

function step() {
  const rest = layout.run(SLICE);
  if (rest || !quiet) {
    const positions = layout.positions();
    self.postMessage({ load, positions, rest }, [positions.buffer]);
  }
  running = !rest;
  if (running) setTimeout(step);
}

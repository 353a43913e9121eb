// Boot lines of the core, a module SharedWorker: one per browser profile, whoever connects first starts it.

import init, { start_core } from './extension_wasm.js';

const ports = [];
/** Set once the core runs; messages that came earlier wait in their ports' queues. */
let core;
let refused;

self.onconnect = ({ ports: [port] }) => {
  ports.push(port);
  if (core) core.connect(port, []);
  else port.onmessage = ({ data }) => answerEarly(port, data);
};

/** Messages that arrived before the core was ready, with their ports. */
const early = [];

function answerEarly(port, message) {
  if (message.request?.request === 'ping') reply(port, message.id, { Ok: { reply: 'done' } });
  else if (refused) reply(port, message.id, { Err: refused });
  else early.push([port, message]);
}

function reply(port, id, result) {
  port.postMessage({ type: 'reply', id, result });
}

/** Whatever waits is refused with a reason, and so is all that follows until the core runs. */
function refuse(failure) {
  refused = failure;
  for (const [port, { id }] of early.splice(0)) reply(port, id, { Err: failure });
}

/** Never let two cores write: the lock is held as long as this worker lives. */
function lock() {
  return new Promise((granted) => {
    navigator.locks.request('loci-core', () => {
      granted();
      return new Promise(() => {});
    });
  });
}

/** A trapped WASM instance cannot be used again: say goodbye, so that the pages start a fresh worker. */
function closeAfterFault() {
  for (const port of ports) port.postMessage({ type: 'closed' });
  // The messages leave before the worker does.
  setTimeout(() => self.close(), 0);
}
self.addEventListener('error', closeAfterFault);
self.addEventListener('unhandledrejection', closeAfterFault);

async function boot() {
  // A core of an earlier version of the extension may take a moment to leave.
  const late = setTimeout(() => refuse({ kind: 'second_writer', hint: 'Another copy of Loci holds the memory. Close its windows, or restart the browser.' }), 5000);
  await lock();
  clearTimeout(late);
  await init({ module_or_path: new URL('extension_wasm_bg.wasm', import.meta.url) });
  try {
    core = await start_core();
  } catch (failure) {
    // A typed failure of the store: the worker stays, says why, and starts anew with the next connection.
    refuse(failure?.kind ? failure : { kind: 'internal', hint: String(failure) });
    setTimeout(closeAfterFault, 30_000);
    return;
  }
  refused = undefined;
  const waiting = early.splice(0);
  for (const port of ports) {
    core.connect(port, waiting.filter(([of]) => of === port).map(([, message]) => message));
  }
}

boot();

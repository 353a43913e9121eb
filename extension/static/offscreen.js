// Offscreen document: keeps the core's SharedWorker alive and relays between it and the service worker, which may be
// stopped while a capture runs.

/** Requests sent and not yet answered: id → the tab whose badge waits, if any. */
const open = new Map();
let port;
let lastId = 0;
let lastHeard = 0;

connect();

function connect() {
  const worker = new SharedWorker('core.js', { type: 'module', name: 'loci-core' });
  worker.onerror = () => lost('The memory could not be started. Reload the extension.');
  port = worker.port;
  port.onmessage = ({ data }) => heard(data);
  lastHeard = Date.now();
}

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (sender.id !== chrome.runtime.id || message.to !== 'offscreen') return;
  send(message.request, message.tab);
  reply(true);
});

function send(request, tab) {
  const id = ++lastId;
  open.set(id, tab);
  port.postMessage({ id, request });
}

function heard(message) {
  lastHeard = Date.now();
  if (message.type === 'closed') {
    lost('The memory met a fault and was started again. Try once more.');
    connect();
  } else if (message.type === 'reply' && open.has(message.id)) {
    const tab = open.get(message.id);
    open.delete(message.id);
    tell(tab, message.result.Err);
  }
}

/** The core is gone: whoever waits is told so. */
function lost(hint) {
  const waiting = [...open.values()];
  open.clear();
  for (const tab of waiting) tell(tab, { kind: 'core_lost', hint });
}

function tell(tab, failure) {
  if (tab === undefined) return;
  chrome.runtime.sendMessage({ to: 'background', tab, failure }).catch(() => {});
}

// A core that the browser ended says no goodbye. It answers a ping even while it works on a page, so two minutes of
// silence mean that it is gone.
setInterval(() => {
  if (open.size > 0 && Date.now() - lastHeard > 120_000) {
    lost('The memory did not answer and was started again. Try once more.');
    connect();
  }
  send({ request: 'ping' });
}, 20_000);

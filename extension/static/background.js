// Service worker: turns a click, the shortcut or the context menu into a capture. It may be stopped at any moment, so
// it keeps no state: the core holds the truth, the offscreen document waits for it, and this file paints the badge.

const BADGES = {
  reading: { text: '…', color: '#6b7280' },
  captured: { text: '✓', color: '#15803d' },
  failed: { text: '!', color: '#b91c1c' },
};

chrome.runtime.onInstalled.addListener(async () => {
  // Rows outlive restarts and updates: cleared first, or they would repeat.
  await chrome.contextMenus.removeAll();
  chrome.contextMenus.create({ id: 'remember', title: 'Remember this page', contexts: ['page', 'selection', 'link', 'image'] });
  await keepCoreAlive();
});
// After a restart of the browser the core goes on with what waits in its queue.
chrome.runtime.onStartup.addListener(keepCoreAlive);

// The click itself must reach `onClicked`: only then does it grant `activeTab`. The shortcut arrives here too.
chrome.action.onClicked.addListener((tab) => remember(tab));
chrome.contextMenus.onClicked.addListener((_, tab) => tab && remember(tab));

// The offscreen document reports how a capture ended; the message wakes this worker if it was stopped meanwhile.
chrome.runtime.onMessage.addListener((message, sender) => {
  if (sender.id !== chrome.runtime.id || message.to !== 'background') return;
  // The panel's button: it works where an earlier click on the toolbar button still grants `activeTab`.
  if (message.capture !== undefined) return void captureAgain(message.capture);
  badge(message.tab, message.failure ? 'failed' : 'captured', message.failure?.hint);
});

function remember(tab) {
  // A side panel opens only inside the user's gesture, that is before the first await.
  chrome.sidePanel.open({ windowId: tab.windowId }).catch(() => {});
  capture(tab).catch((error) => badge(tab.id, 'failed', String(error?.message ?? error)));
}

function captureAgain(tabId) {
  chrome.tabs.get(tabId).then(capture).catch((error) => badge(tabId, 'failed', String(error?.message ?? error)));
}

async function capture(tab) {
  const url = tab.url ?? tab.pendingUrl ?? '';
  badge(tab.id, 'reading');
  const refused = refusal(tab, url);
  if (refused) return fail(tab, url, refused);
  await toCore({ request: 'capture_begun', url });
  let page;
  try {
    page = await read(tab.id);
  } catch (error) {
    return fail(tab, url, unreadable(String(error?.message ?? error)));
  }
  if (!page) return fail(tab, url, failure('not_a_page', 'This tab holds no document that can be read.'));
  if (page.failure) return fail(tab, url, page.failure);
  await toCore({ request: 'capture', ...page, private_window: tab.incognito }, tab.id);
}

/** The page as the content script sees it; undefined where the tab holds none. */
async function read(tabId) {
  const inject = () => chrome.scripting.executeScript({ target: { tabId }, files: ['content.js'] });
  // Seen on a busy machine just after the browser's start: the grant of the click is not in force yet.
  const [injected] = await inject().catch(async (error) => {
    if (!/permission|access/i.test(String(error?.message))) throw error;
    await new Promise((done) => setTimeout(done, 300));
    return inject();
  });
  return injected?.result;
}

async function fail(tab, url, failure) {
  badge(tab.id, 'failed', failure.hint);
  await toCore({ request: 'capture_failed', url, failure });
}

function failure(kind, hint) {
  return { kind, hint };
}

function refusal(tab, url) {
  if (tab.incognito) {
    return failure('private_window', 'Pages of private windows are not remembered. Open the page in an ordinary window.');
  }
  if (!/^(https?|file):/i.test(url)) {
    return failure('browser_page', 'This is a page of the browser itself, which no extension may read.');
  }
}

/** What the browser means when it refuses to inject. */
function unreadable(message) {
  if (/galler|cannot be scripted|chrome:\/\/|extensions? page|webstore/i.test(message)) {
    return failure('browser_page', 'The browser lets no extension read this page.');
  }
  if (/error page/i.test(message)) {
    return failure('not_a_page', 'The page did not load. Load it again, then remember it.');
  }
  if (/permission|access/i.test(message)) {
    return failure('browser_page', 'The browser does not let Loci read this page. Click the Loci button on the page itself.');
  }
  return failure('not_a_page', 'This tab holds no document that can be read.');
}

function badge(tabId, state, detail) {
  const { text, color } = BADGES[state];
  // The tab may be gone by now; then nobody misses the badge.
  chrome.action.setBadgeText({ tabId, text }).catch(() => {});
  chrome.action.setBadgeBackgroundColor({ tabId, color }).catch(() => {});
  chrome.action.setTitle({ tabId, title: detail ? `Loci: ${detail}` : 'Remember this page' }).catch(() => {});
}

/** Hands a request to the offscreen document, which answers when it has taken it. */
async function toCore(request, tab) {
  await keepCoreAlive();
  await chrome.runtime.sendMessage({ to: 'offscreen', tab, request });
}

let opening;

/** The offscreen document keeps the SharedWorker alive while no page of the extension is open. */
async function keepCoreAlive() {
  if (await chrome.offscreen.hasDocument()) return;
  opening ??= chrome.offscreen
    .createDocument({ url: 'offscreen.html', reasons: ['WORKERS'], justification: 'Holds the worker that keeps and searches the memory.' })
    .catch(async (error) => {
      // Another start of this worker may have won the race.
      if (!(await chrome.offscreen.hasDocument())) throw error;
    })
    .finally(() => (opening = undefined));
  await opening;
}

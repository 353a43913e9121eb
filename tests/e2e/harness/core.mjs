// Talks to the core as a screen does: over a port of its SharedWorker.

/** Runs inside a page of the extension. */
function connect() {
  if (window.testCore) return;
  let port;
  let last = 1_000_000;
  const waiting = new Map();
  const events = [];
  const open = () => {
    ({ port } = new SharedWorker('core.js', { type: 'module', name: 'loci-core' }));
    port.onmessage = ({ data }) => {
      if (data.type === 'reply' && waiting.has(data.id)) {
        waiting.get(data.id)(data.result);
        waiting.delete(data.id);
      } else if (data.type === 'event') {
        events.push(data.event);
      } else if (data.type === 'closed') {
        for (const end of waiting.values()) end({ Err: { kind: 'core_lost', hint: 'the core closed' } });
        waiting.clear();
        open();
      }
    };
  };
  open();
  window.testCore = {
    events,
    send: (request) =>
      new Promise((end) => {
        const id = ++last;
        waiting.set(id, end);
        port.postMessage({ id, request });
      }),
  };
}

export class Core {
  #page;

  /** @param {import('./browser.mjs').Browser} browser */
  static async of(browser) {
    const core = new Core();
    core.#page = await browser.open(browser.url('app.html#settings'));
    await core.#page.evaluate(connect);
    return core;
  }

  /** The page it looks out of: the settings. */
  get page() {
    return this.#page;
  }

  /** @returns {Promise<any>} the reply; a refusal becomes an error with the failure's kind */
  async ask(request) {
    const result = await this.#page.evaluate((request) => window.testCore.send(request), request);
    if (result.Err) throw Object.assign(new Error(`${result.Err.kind}: ${result.Err.hint}`), result.Err);
    return result.Ok;
  }

  async pages(query = '') {
    return (await this.ask({ request: 'pages', query, limit: 100, offset: 0 })).pages;
  }

  async pageDetail(id) {
    return (await this.ask({ request: 'page', page: id })).page;
  }

  async state(url) {
    return (await this.ask({ request: 'page_state', url })).state;
  }

  async search(query, limit = 5) {
    return (await this.ask({ request: 'search', query, limit })).hits;
  }

  async counts() {
    return (await this.ask({ request: 'diagnostics' })).diagnostics;
  }

  async companion() {
    return (await this.ask({ request: 'companion' })).companion;
  }

  /** Notes from now on when a capture is committed or refused. */
  watchCommits() {
    return this.#page.evaluate(() => {
      window.commits = [];
      const push = window.testCore.events.push;
      window.testCore.events.push = (event) => {
        const state = event.about === 'page_changed' ? event.state : undefined;
        if (state && state.status !== 'capturing') window.commits.push({ url: event.url, at: performance.timeOrigin + performance.now(), failed: Boolean(state.failure) });
        return push.call(window.testCore.events, event);
      };
    });
  }

  commits() {
    return this.#page.evaluate(() => window.commits);
  }

  /** What the core told every screen so far. */
  events() {
    return this.#page.evaluate(() => window.testCore.events);
  }
}

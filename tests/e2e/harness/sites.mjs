// Serves the fixture pages. Every page has a host name of its own under `.test`, for which the extension holds no
// permission; the browser is told where these names lead.

import http from 'node:http';
import { readFile } from 'node:fs/promises';

const PAGES = new URL('../../pages/', import.meta.url);
const TOUR = ['maren-holt', 'northlight-instruments', 'skarvan-observatory'];
/** The smallest PNG: one pixel. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const TYPES = { html: 'text/html; charset=utf-8', json: 'application/json', png: 'image/png', pdf: 'application/pdf' };

export class Sites {
  /** Pages set by a test, by host name. */
  #own = new Map();
  /** Every request: host and path. */
  requests = [];

  static async start() {
    const sites = new Sites();
    sites.server = http.createServer((request, response) => sites.#serve(request, response));
    await new Promise((ready) => sites.server.listen(0, '127.0.0.1', ready));
    return sites;
  }

  /** What the browser must be told. */
  get resolverRules() {
    return `MAP *.test 127.0.0.1:${this.server.address().port}`;
  }

  /** Puts a page of the test's own on `http://NAME.test/`. */
  set(name, body, { type = 'html', headers = {} } = {}) {
    this.#own.set(name, { body, type, headers });
    return `http://${name}.test/`;
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  async #serve(request, response) {
    const name = (request.headers.host ?? '').replace(/\.test(:\d+)?$/, '');
    const path = new URL(request.url, 'http://any.test').pathname;
    this.requests.push(`${name}${path}`);
    const found = await this.#find(name, path).catch(() => undefined);
    response.writeHead(found ? 200 : 404, { 'content-type': TYPES[found?.type ?? 'html'], 'cache-control': 'no-store', ...found?.headers });
    response.end(found?.body ?? '<!doctype html><title>Not here</title><p>There is no such page.</p>');
  }

  async #find(name, path) {
    if (path === '/favicon.ico') return undefined;
    if (this.#own.has(name)) return this.#own.get(name);
    if (name === 'image') return { body: PNG, type: 'png' };
    const type = path.endsWith('.json') ? 'json' : 'html';
    const file = type === 'json' ? path.slice(1) : TOUR.includes(name) ? `tour/${name}.html` : `${name}.html`;
    if (!/^[a-z-]+(\/[a-z-]+)?\.(html|json)$/.test(file)) return undefined;
    return { body: await readFile(new URL(file, PAGES)), type };
  }
}

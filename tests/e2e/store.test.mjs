// The store's own tests on the real IndexedDB: written in Rust, run by a page, reported here one by one.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import http from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const FOLDER = process.env.LOCI_STORE_TESTS;
const FILES = {
  '/': ['text/html', '<!doctype html><title>Store tests</title>'],
  '/store_browser.js': ['text/javascript'],
  '/store_browser_bg.wasm': ['application/wasm'],
};

let server, browser, results;

before(async () => {
  assert.ok(FOLDER, 'LOCI_STORE_TESTS names the folder of the compiled tests; `cargo xtask test` sets it');
  server = http.createServer(async (request, response) => {
    const [type, body] = FILES[request.url] ?? [];
    response.writeHead(type ? 200 : 404, { 'content-type': type ?? 'text/plain' });
    response.end(type ? (body ?? (await readFile(join(FOLDER, request.url)))) : '');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  browser = await chromium.launch({ executablePath: process.env.LOCI_CHROMIUM ?? 'chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  results = await page.evaluate(async () => {
    const module = await import('/store_browser.js');
    await module.default({ module_or_path: '/store_browser_bg.wasm' });
    const results = await module.run_store_tests();
    return typeof results === 'string' ? JSON.parse(results) : results;
  });
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

describe('the store on IndexedDB', () => {
  test('every test of the store passes', async (context) => {
    assert.ok(results.length > 0, 'there are tests');
    for (const { name, error } of results) await context.test(name, () => assert.equal(error ?? null, null));
  });
});

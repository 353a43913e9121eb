// Who may use the companion, and whom the extension believes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import http from 'node:http';
import { Browser, newProfile } from './harness/browser.mjs';
import { Companion, newState } from './harness/companion.mjs';
import { Core } from './harness/core.mjs';
import { plumbing } from './harness/models.mjs';
import { pair } from './harness/person.mjs';
import { Sites } from './harness/sites.mjs';
import { until } from './harness/until.mjs';


let sites, state, companion;
const opened = [];

async function person() {
  const profile = await newProfile();
  const browser = await Browser.launch({ folder: profile.folder, sites });
  const core = await Core.of(browser);
  opened.push(async () => {
    await browser.close();
    await profile.remove();
  });
  return { browser, core };
}

/** The token and profile id that a browser profile keeps, read as only its own pages can. */
function secrets(core) {
  return core.page.evaluate(async () => {
    const found = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise((done, failed) => {
        const open = indexedDB.open(name);
        open.onsuccess = () => done(open.result);
        open.onerror = () => failed(open.error);
      });
      for (const store of database.objectStoreNames) {
        const values = await new Promise((done, failed) => {
          const all = database.transaction(store).objectStore(store).getAll();
          all.onsuccess = () => done(all.result);
          all.onerror = () => failed(all.error);
        });
        for (const value of values) found.push(value instanceof Uint8Array || value instanceof ArrayBuffer ? new TextDecoder().decode(value) : JSON.stringify(value));
      }
      database.close();
    }
    found.push(JSON.stringify(await chrome.storage.local.get()));
    return [...new Set(found.join('\n').match(/[0-9a-f]{64}/g) ?? [])];
  });
}

before(async () => {
  sites = await Sites.start();
  state = await newState();
  companion = await Companion.start({ state: state.folder, llm: plumbing() });
});

after(async () => {
  for (const close of opened.reverse()) await close().catch(() => {});
  await companion?.kill();
  await state?.remove();
  await sites?.close();
});

describe('trust', () => {
  let first, second;

  test('a browser pairs by the six digits', async () => {
    first = await person();
    assert.equal((await first.core.companion()).state, 'unpaired');
    const ready = await pair(first.core, companion);
    assert.equal(ready.port, companion.port);
    assert.equal((await companion.devices()).trim().split('\n').length, 1);
  });

  test('a wrong code is refused in words, and five of them end the pairing', async () => {
    second = await person();
    const right = await companion.pairingCode();
    const wrong = right === '000000' ? '000001' : '000000';
    const page = second.core.page;
    await page.bringToFront();
    const field = page.getByLabel('Six-digit code');
    await field.fill(wrong);
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByText('That code is not right.').waitFor();
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await assert.rejects(second.core.ask({ request: 'pair', code: wrong }), { kind: 'wrong_code' });
    }
    await assert.rejects(second.core.ask({ request: 'pair', code: right }), { kind: /wrong_code|pairing_closed/ }, 'the right code is void now');
  });

  test('two profiles are two devices, and neither holds the secrets of the other', async () => {
    await pair(second.core, companion);
    assert.equal((await companion.devices()).trim().split('\n').length, 2);
    const [one, two] = [await secrets(first.core), await secrets(second.core)];
    assert.ok(one.length > 0 && two.length > 0, 'each profile keeps a token');
    assert.deepEqual(one.filter((secret) => two.includes(secret)), []);
  });

  test('a revoked profile is shut out, the other goes on', async () => {
    const ids = (await companion.devices()).trim().split('\n').map((line) => line.split(/\s+/)[0]);
    await companion.revoke(ids[0]);
    await until('the revoked profile notices', async () => ['unpaired', 'impostor'].includes((await first.core.companion()).state), 30_000);
    assert.equal((await second.core.companion()).state, 'ready');
  });

  test('an impostor on the port learns nothing but a nonce', async () => {
    await companion.kill();
    const heard = [];
    const impostor = http.createServer((request, response) => {
      let body = '';
      request.on('data', (data) => (body += data)).on('end', () => {
        heard.push({ url: request.url, headers: request.headers, body });
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ name: 'loci', version: '0.1.0', protocol: 1, proof: '00'.repeat(32) }));
      });
    });
    await new Promise((ready) => impostor.listen(companion.port, '127.0.0.1', ready));
    try {
      await until('the impostor is told apart', async () => (await second.core.companion()).state === 'impostor', 30_000);
      assert.ok(heard.length > 0);
      const secret = await secrets(second.core);
      for (const { url, headers, body } of heard) {
        assert.match(url, /^\/v1\/hello\?/);
        assert.equal(headers.authorization, undefined);
        assert.equal(body, '');
        for (const token of secret) assert.ok(!url.includes(token), 'no secret is in the address');
      }
    } finally {
      impostor.closeAllConnections();
      await new Promise((closed) => impostor.close(closed));
    }
  });

  test('an impostor that relays hello to the real companion on another port is told apart', async () => {
    const real = await Companion.start({ state: state.folder, port: 0, llm: plumbing() });
    const heard = [];
    const relay = http.createServer((request, response) => {
      heard.push(request.url);
      const onwards = http.request({ host: '127.0.0.1', port: real.port, path: request.url, method: request.method, headers: { ...request.headers, host: `127.0.0.1:${real.port}` } }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onwards);
    });
    await new Promise((ready) => relay.listen(companion.port, '127.0.0.1', ready));
    try {
      await until('the relay was asked', async () => {
        await second.core.companion();
        return heard.length > 0;
      }, 30_000);
      const told = await second.core.companion();
      assert.equal(told.state, 'impostor', JSON.stringify({ told, heard, real: real.port }));
      assert.ok(heard.every((url) => url.startsWith('/v1/hello?')), `only hello was sent: ${heard}`);
    } finally {
      relay.closeAllConnections();
      await new Promise((closed) => relay.close(closed));
      await real.kill();
    }
    companion = await Companion.start({ state: state.folder, port: companion.port, llm: plumbing() });
      await until('the real companion is found again', async () => (await second.core.companion()).state === 'ready', 60_000);
  });

  test('every refusal of the trust design, in its order', async () => {
    const good = { host: `127.0.0.1:${companion.port}`, 'x-loci-protocol': '1', 'content-type': 'application/json' };
    const call = (headers, path = '/v1/embed', method = 'POST') =>
      new Promise((done, failed) => {
        const request = http.request({ host: '127.0.0.1', port: companion.port, path, method, headers }, (answer) => {
          let body = '';
          answer.on('data', (data) => (body += data)).on('end', () => done({ status: answer.statusCode, headers: answer.headers, body }));
        });
        request.on('error', failed).end(method === 'POST' ? '{"kind":"query","texts":["x"]}' : undefined);
      });
    const cases = [
      ['another host', { ...good, host: 'localhost.evil.test' }, 'wrong_host'],
      ['the right host on another port', { ...good, host: '127.0.0.1:1' }, 'wrong_host'],
      ['a web page', { ...good, origin: 'http://hostile.test' }, 'foreign_origin'],
      ['an opaque origin', { ...good, origin: 'null' }, 'foreign_origin'],
      ['another extension', { ...good, origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' }, 'foreign_origin'],
      ['no protocol header', { host: good.host, 'content-type': good['content-type'] }, 'missing_header'],
      ['a form', { ...good, 'content-type': 'text/plain' }, 'wrong_content_type'],
      ['no token', good, 'unpaired'],
      ['a guessed token', { ...good, authorization: `Bearer ${'a'.repeat(64)}` }, 'unpaired'],
    ];
    for (const [name, headers, code] of cases) {
      const { status, body, headers: replied } = await call(headers);
      assert.ok(status >= 400, `${name}: ${status}`);
      assert.equal(JSON.parse(body).code, code, `${name}: ${body}`);
      assert.equal(replied['access-control-allow-origin'], undefined, `${name}: no door for web origins`);
    }
  });

  test('a web page cannot reach the companion', async () => {
    const page = await second.browser.open('http://hostile.test/');
    const reached = await page.evaluate(
      (port) => fetch(`http://127.0.0.1:${port}/v1/hello?nonce=${'00'.repeat(32)}`).then((reply) => reply.text(), () => 'refused'),
      companion.port,
    );
    assert.equal(reached, 'refused');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.reached), undefined);
  });
});

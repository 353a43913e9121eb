// The deep pass on a real companion with real weights: the queue outlives the companion, nothing is lost or doubled.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Browser, newProfile } from './harness/browser.mjs';
import { Companion, newState } from './harness/companion.mjs';
import { Core } from './harness/core.mjs';
import { plumbing } from './harness/models.mjs';
import { pair, readClosely, remember } from './harness/person.mjs';
import { Sites } from './harness/sites.mjs';
import { until } from './harness/until.mjs';

let sites, profile, browser, core, state, companion;
const start = async (port) => (await Companion.start({ state: state.folder, port, llm: plumbing() })).ready();

before(async () => {
  sites = await Sites.start();
  profile = await newProfile();
  state = await newState();
  browser = await Browser.launch({ folder: profile.folder, sites });
  core = await Core.of(browser);
});

after(async () => {
  await browser?.close();
  await companion?.kill();
  await sites?.close();
  await profile?.remove();
  await state?.remove();
});

describe('the deep pass', () => {
  test('what was captured without the companion waits, and is read when it comes', async () => {
    const { page, state: waiting } = await remember(browser, core, 'http://short.test/');
    await page.close();
    assert.equal(waiting.status, 'waiting');
    assert.ok((await core.counts()).queued > 0);
    companion = await start();
    await pair(core, companion);
    await readClosely(core, 'http://short.test/');
    assert.equal((await core.counts()).queued, 0);
  });

  test('the companion dies in the middle and comes back: the queue finishes, nothing is lost or doubled', async () => {
    const url = 'http://article.test/';
    const { state: captured } = await remember(browser, core, url);
    assert.ok(captured.passages >= 3, `${captured.passages} passages`);
    await until('some passages are read and some wait', async () => {
      const { deep_passages: done, passages } = await core.state(url);
      if (done === passages) throw new Error('it was read before the companion could be killed');
      return done >= 1;
    }, 180_000);
    await companion.kill();
    const cut = await core.state(url);
    assert.ok(cut.deep_passages < cut.passages);
    await until('the core sees that the companion is away', async () => (await core.companion()).state === 'away', 60_000);

    companion = await start(companion.port);
    const end = await readClosely(core, url);
    assert.equal(end.passages, captured.passages);
    assert.equal((await core.counts()).queued, 0);

    const { facts, passages } = await core.pageDetail(end.page);
    assert.equal(new Set(passages.map((passage) => passage.episode)).size, captured.passages, 'every passage once');
    const key = (fact) => `${fact.subject?.[0]} ${fact.relation} ${fact.object?.[0]} ${fact.text}`;
    assert.equal(new Set(facts.map(key)).size, facts.length, 'no fact twice');
    for (const fact of facts) {
      const sources = fact.sources.map((source) => `${source.page} ${source.text}`);
      assert.equal(new Set(sources).size, sources.length, 'no source of a fact twice');
    }
  });

  test('an unchanged page that is captured again costs the companion nothing', async () => {
    const before = await core.counts();
    const page = await browser.open('http://short.test/');
    const one = (await core.pages()).find((page) => page.url.startsWith('http://short.test'));
    await browser.click(page);
    await until('the capture has ended', async () => (await core.pages()).find((page) => page.url.startsWith('http://short.test')).captured > one.captured);
    const now = await core.counts();
    assert.deepEqual([now.queued, now.passages, now.triples, now.theses], [0, before.passages, before.triples, before.theses]);
  });

  test('paused reading keeps what waits, also over a restart of the browser', async () => {
    const settings = (await core.ask({ request: 'settings' })).settings;
    await core.ask({ request: 'set_settings', ...settings, paused: true });
    await remember(browser, core, 'http://spa.test/', '[data-rendered]');
    const { queued } = await core.counts();
    assert.ok(queued > 0);
    await browser.close();
    browser = await Browser.launch({ folder: profile.folder, sites });
    core = await Core.of(browser);
    assert.equal((await core.counts()).queued, queued);
    await core.ask({ request: 'set_settings', ...settings, paused: false });
    await readClosely(core, 'http://spa.test/');
  });

  test('nothing of a page is on the companion’s disk or in its log', async () => {
    const { readdir, readFile } = await import('node:fs/promises');
    for (const file of await readdir(state.folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = await readFile(`${file.parentPath}/${file.name}`, 'utf8');
      for (const word of ['Ravensholt', 'Bellrock', 'Vessburg', 'article.test']) assert.ok(!text.includes(word), `${file.name} holds ${word}`);
    }
    for (const word of ['Ravensholt', 'Bellrock', 'Vessburg', 'article.test']) assert.ok(!companion.log.includes(word), `the log holds ${word}`);
  });

  test('no page of the extension reported an error', () => {
    assert.deepEqual(browser.errors, []);
  });
});

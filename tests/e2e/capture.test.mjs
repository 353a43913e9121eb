// Capture by the toolbar button, with no companion: every kind of page becomes searchable at once.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Browser, newProfile } from './harness/browser.mjs';
import { Core } from './harness/core.mjs';
import { askPanel, remember, searchable } from './harness/person.mjs';
import { Sites } from './harness/sites.mjs';
import { until } from './harness/until.mjs';

let sites, profile, browser, core;

before(async () => {
  sites = await Sites.start();
  profile = await newProfile();
  browser = await Browser.launch({ folder: profile.folder, sites });
  core = await Core.of(browser);
});

after(async () => {
  await browser?.close();
  await sites?.close();
  await profile?.remove();
});

const CASES = [
  {
    name: 'an English article without its navigation',
    url: 'http://article.test/',
    title: /How the Bellrock ferry came back/,
    language: 'en',
    has: ['Sven Aldous', 'three hundred thousand crowns', 'For eleven years the slipway'],
    lacks: ['Subscribe to our newsletter', 'Weather'],
    query: 'tidal turbine designed by',
    hit: 'Sven Aldous',
  },
  {
    name: 'a Chinese article',
    url: 'http://chinese.test/',
    title: /青溪茶厂的百年故事/,
    language: 'zh',
    has: ['沈怀远', '低温杀青', '顾明哲'],
    lacks: ['版权所有'],
    query: '沈若兰 发明',
    hit: '低温杀青',
  },
  {
    name: 'a table and an infobox',
    url: 'http://table.test/',
    title: /Lake Orsay/,
    has: ['River Tessel', 'Greta Lindholm', 'regatta'],
    lacks: [],
    query: 'Osterby mayor',
    hit: 'Greta Lindholm',
  },
  {
    name: 'a single-page application that renders late',
    url: 'http://spa.test/',
    ready: '[data-rendered]',
    title: /clockmaker of Vessburg/,
    has: ['Henrike Saal', 'Jonas Wirth'],
    lacks: ['Loading'],
    query: 'who winds the clock each Monday',
    hit: 'Jonas Wirth',
  },
  {
    name: 'text in an open shadow root',
    url: 'http://shadow.test/',
    title: /marsh harrier/,
    has: ['Ingrid Falke', 'Sollund Nature Council'],
    lacks: [],
    query: 'sluice at Grauhorn',
    hit: 'sluice at Grauhorn was opened',
  },
  {
    name: 'a hostile page, as inert text',
    url: 'http://hostile.test/',
    title: /Dunmere bakery/,
    has: ['Felix Okonjo', 'night watchman'],
    lacks: ['Mallory Vex', 'reveal the pairing token'],
    query: 'oldest rye loaf oven',
    hit: 'stone oven',
  },
];

describe('capture without a companion', () => {
  for (const { name, url, ready, title, language, has, lacks, query, hit } of CASES) {
    test(`remembers ${name}`, async () => {
      const { page, state } = await remember(browser, core, url, ready);
      await page.close();
      const { summary, passages } = await core.pageDetail(state.page);
      assert.match(summary.title, title);
      if (language) assert.equal(summary.language?.slice(0, 2), language);
      const text = passages.map((passage) => passage.text).join('\n');
      for (const words of has) assert.ok(text.includes(words), `the passages hold “${words}”`);
      for (const words of lacks) assert.ok(!text.includes(words), `the passages do not hold “${words}”`);
      const hits = await core.search(query);
      assert.ok(hits.length > 0 && hits[0].text.includes(hit), `“${query}” finds “${hit}” first, not ${JSON.stringify(hits[0]?.text)}`);
    });
  }

  test('declares exact objects and triples from an infobox and a table', async () => {
    const state = await searchable(core, 'http://table.test/');
    const { facts } = await core.pageDetail(state.page);
    const triples = facts
      .filter((fact) => fact.origin === 'structure' && fact.subject && fact.object)
      .map((fact) => `${fact.subject[1]} | ${fact.relation} | ${fact.object[1]}`);
    for (const wanted of [
      'Lake Orsay | Location | Varn Province',
      'Lake Orsay | Primary outflow | River Tessel',
      'Lake Orsay | Max. depth | 94 m',
      'Osterby | Population | 412',
      'Osterby | Mayor | Greta Lindholm',
      'Varnamo | Mayor | Piotr Zielinski',
      'Tesselmouth | Population | 238',
    ]) {
      assert.ok(triples.some((triple) => triple.toLowerCase() === wanted.toLowerCase()), `${wanted} is among ${JSON.stringify(triples, null, 1)}`);
    }
    for (const fact of facts) assert.ok(fact.sources.length > 0, `“${fact.text}” has a source`);
  });

  test('runs nothing of a hostile page in the screens', async () => {
    const state = await searchable(core, 'http://hostile.test/');
    const memories = await browser.open(browser.url(`app.html#memories/${state.page}`));
    await memories.getByText('Felix Okonjo').first().waitFor();
    assert.equal(await memories.evaluate(() => document.documentElement.dataset.pwned), undefined);
    assert.equal(await memories.locator('img, iframe, main script').count(), 0, 'page markup is shown as text');
    await memories.close();
  });

  test('answers from the words in the side panel, and the citation leads to the passage', async () => {
    const page = await browser.open('http://article.test/');
    await browser.click(page);
    const panel = await browser.panel();
    await panel.getByText('The companion is not running. Searching by words works').waitFor();
    const turn = await askPanel(panel, 'Who designed the tidal turbine in Bellrock Sound?');
    await turn.getByText('These passages match your words').waitFor();
    const source = turn.locator('.source-list details', { hasText: 'designed by Sven Aldous' }).first();
    await source.locator('summary').click();
    assert.match(await source.innerText(), /designed by Sven Aldous/);
    const link = source.getByRole('link', { name: 'Open at the passage' });
    const href = await link.getAttribute('href');
    assert.match(href, /^http:\/\/article\.test\/(ferry)?#:~:text=/);
    await page.close();
  });

  test('the second capture of an unchanged page costs nothing, a changed one makes a version', async () => {
    const first = 'The village of Aldersyke has a bell that was cast in 1688 by two sisters from Harrowgate. It rings a quarter tone below every other bell of the valley.';
    const url = sites.set('version', `<!doctype html><html lang="en"><title>Aldersyke</title><main><h1>Aldersyke</h1><p>${first}</p></main>`);
    const { page } = await remember(browser, core, url);
    const before = await core.counts();
    const one = (await core.pages()).find((page) => page.url === url);

    await browser.click(page);
    await until('the second capture has ended', async () => (await core.pages()).find((page) => page.url === url).captured > one.captured);
    const again = await core.counts();
    assert.deepEqual([again.passages, again.queued, again.pages], [before.passages, before.queued, before.pages]);

    const added = 'In 2024 the bell was taken down to be cleaned, and a letter was found inside the clapper.';
    sites.set('version', `<!doctype html><html lang="en"><title>Aldersyke</title><main><h1>Aldersyke</h1><p>${first}</p><h2>News</h2><p>${added}</p></main>`);
    await page.reload();
    await browser.click(page);
    await until('the new version is there', async () => (await core.search('letter inside the clapper')).some((hit) => hit.text.includes('clapper')));
    const now = (await core.pages()).find((page) => page.url === url);
    assert.equal(now.version, one.version + 1);
    assert.equal((await core.counts()).pages, before.pages, 'the same address stays one page');
  });

  test('a restart of the browser keeps the memory', async () => {
    const before = await core.counts();
    assert.ok(before.pages >= 6);
    await browser.close();
    browser = await Browser.launch({ folder: profile.folder, sites });
    core = await Core.of(browser);
    const kept = await core.counts();
    assert.deepEqual(
      [kept.pages, kept.passages, kept.objects, kept.triples],
      [before.pages, before.passages, before.objects, before.triples],
    );
    const hits = await core.search('tidal turbine designed by');
    assert.match(hits[0].text, /Sven Aldous/);
  });

  test('no page of the extension reported an error', () => {
    assert.deepEqual(browser.errors, []);
  });
});

// What cannot be remembered is refused with words that say what to do, and nothing stored is touched.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Browser, newProfile } from './harness/browser.mjs';
import { Core } from './harness/core.mjs';
import { remember } from './harness/person.mjs';
import { Sites } from './harness/sites.mjs';

let sites, profile, browser, core, panel;

before(async () => {
  sites = await Sites.start();
  profile = await newProfile();
  browser = await Browser.launch({ folder: profile.folder, sites });
  core = await Core.of(browser);
  const { page } = await remember(browser, core, 'http://short.test/');
  panel = await browser.panel();
  await page.close();
});

after(async () => {
  await browser?.close();
  await sites?.close();
  await profile?.remove();
});

const CASES = [
  { name: 'an empty page', url: 'http://empty.test/', says: 'This page has no text to remember.' },
  { name: 'a page of only scripts', url: 'http://scripts-only.test/', says: 'This page has no text to remember.' },
  { name: 'an image', url: 'http://image.test/', says: 'This tab shows a file, not a web page.' },
  { name: 'a page of the browser', url: 'chrome://version/', says: 'Pages of the browser itself cannot be read by any extension.' },
];

describe('refusals', () => {
  for (const { name, url, says } of CASES) {
    test(`${name} is refused in words`, async () => {
      const before = await core.counts();
      const page = await browser.open(url);
      await browser.click(page);
      await panel.getByText(says).first().waitFor({ timeout: 10_000 });
      const { pages, passages, triples } = await core.counts();
      assert.deepEqual([pages, passages, triples], [before.pages, before.passages, before.triples], 'nothing stored is touched');
      await page.close();
    });
  }

  test('a page of five megabytes is remembered or refused in words, and the memory goes on', async () => {
    const paragraph = '<p>The long chronicle of Oxmoor tells of one hundred mayors, and of each it says what he built and what he broke. </p>';
    const url = sites.set('long', `<!doctype html><html lang="en"><title>Chronicle</title><main><h1>Chronicle</h1>${paragraph.repeat(Math.ceil(5_000_000 / paragraph.length))}</main>`);
    const page = await browser.open(url);
    await browser.click(page);
    const remembered = panel.getByText('Searchable now.', { exact: false });
    const refused = panel.getByText('This page is too large.');
    await remembered.or(refused).first().waitFor({ timeout: 60_000 });
    assert.ok((await core.search('Edith Marlowe mill')).some((hit) => hit.text.includes('Edith Marlowe')));
    await page.close();
  });

  test('no page of the extension reported an error', () => {
    assert.deepEqual(browser.errors, []);
  });
});

// The whole way with a model that reads: capture, deep pass to the end, a question, a streamed answer with a citation.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Browser, newProfile } from './harness/browser.mjs';
import { Companion, newState } from './harness/companion.mjs';
import { Core } from './harness/core.mjs';
import { smallest } from './harness/models.mjs';
import { askPanel, pair, readClosely, remember } from './harness/person.mjs';
import { Sites } from './harness/sites.mjs';
import { until } from './harness/until.mjs';

let sites, profile, browser, core, state, companion, panel, page;
const URL_ = 'http://short.test/';

before(async () => {
  sites = await Sites.start();
  profile = await newProfile();
  state = await newState();
  companion = await Companion.start({ state: state.folder, llm: smallest() });
  browser = await Browser.launch({ folder: profile.folder, sites });
  core = await Core.of(browser);
  await companion.ready();
  await pair(core, companion);
});

after(async () => {
  await browser?.close();
  await companion?.kill();
  await sites?.close();
  await profile?.remove();
  await state?.remove();
});

describe('with a model that reads', () => {
  test('the deep pass finds facts that the text bears out', async () => {
    ({ page } = await remember(browser, core, URL_));
    const { page: id } = await readClosely(core, URL_);
    const { facts, passages } = await core.pageDetail(id);
    const text = passages.map((passage) => passage.text).join('\n');
    const read = facts.filter((fact) => fact.origin === 'llm');
    assert.ok(read.length >= 2, `${read.length} facts`);
    for (const fact of read) {
      for (const name of [fact.subject, fact.object]) if (name) assert.ok(text.includes(name[1]) || `The Ravensholt mill`.includes(name[1]), `“${name[1]}” stands in the text`);
      assert.ok(fact.sources.some((source) => source.page === id), 'a fact names the page it is from');
    }
    const names = new Set(read.flatMap((fact) => [fact.subject?.[1], fact.object?.[1]]));
    assert.ok([...names].some((name) => /Marlowe|Osei|Ravensholt/.test(name ?? '')), `${[...names]}`);
  });

  test('an answer streams in the side panel, and its citation opens the page at the passage', async () => {
    panel = await browser.panel();
    const watched = panel.evaluate(
      () =>
        new Promise((done) => {
          const lengths = new Set();
          const look = () => {
            const answer = document.querySelector('.turn .answer');
            if (answer) lengths.add(answer.textContent.length);
            if (document.querySelector('.turn .figures, .turn .verdict, .turn .turn-actions')) {
              observer.disconnect();
              done(lengths.size);
            }
          };
          const observer = new MutationObserver(look);
          observer.observe(document.body, { childList: true, subtree: true, characterData: true });
        }),
    );
    const turn = await askPanel(panel, 'Who built the Ravensholt mill?');
    assert.ok((await watched) >= 3, 'the text grew while it was written');
    assert.match(await turn.locator('.answer').innerText(), /Marlowe/);

    const citation = turn.locator('.answer a.cite').first();
    const opened = browser.context.waitForEvent('page');
    await citation.click();
    const target = await opened;
    await target.waitForLoadState();
    assert.equal(new URL(target.url()).host, 'short.test');
    assert.match(await citation.getAttribute('href'), /#:~:text=/);
    const captured = turn.locator('details[open]').first();
    await captured.waitFor();
    assert.match(await captured.innerText(), /was built by Edith Marlowe/, 'the captured passage is shown too');
    await target.close();
  });

  test('a question that the memory does not hold is not answered', async () => {
    const turn = await askPanel(panel, 'What is the boiling point of tungsten hexafluoride?');
    await turn.getByText('This is not in your memory.').waitFor();
  });

  test('the stop button ends an answer at once', async () => {
    await panel.getByLabel('Ask your memory').fill('Tell everything about the Ravensholt mill and the Ravensholt Trust.');
    await panel.getByRole('button', { name: 'Ask', exact: true }).click();
    const turn = panel.locator('.turn').last();
    await until('the answer has begun', async () => (await turn.locator('.answer').count()) > 0 && (await turn.locator('.answer').innerText()).length > 0, 120_000);
    const stop = panel.getByRole('button', { name: 'Stop' });
    if (await stop.isVisible()) await stop.click();
    await turn.locator('.meta, .figures').getByText(/Stopped\.|Answer complete\./).first().waitFor({ timeout: 10_000 });
    await until('the companion is free again', async () => (await companion.status()).queue.running === 0, 20_000);
  });

  test('no page of the extension reported an error', () => {
    assert.deepEqual(browser.errors, []);
    assert.ok(page);
  });
});

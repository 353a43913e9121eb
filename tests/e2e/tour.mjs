// A walk through Loci without a display: three sample pages, two questions, a picture of every screen.

import { Browser, newProfile } from './harness/browser.mjs';
import { Companion, newState } from './harness/companion.mjs';
import { Core } from './harness/core.mjs';
import { askPanel, pair, readClosely, remember } from './harness/person.mjs';
import { picture } from './harness/screens.mjs';
import { Sites } from './harness/sites.mjs';

const PAGES = ['http://maren-holt.test/', 'http://northlight-instruments.test/', 'http://skarvan-observatory.test/'];
const QUESTIONS = ['Who is the director of the Skarvan Observatory?', 'Who founded the company that made the main mirror of the Skarvan Observatory?'];
const folder = process.env.LOCI_TOUR ?? new URL('../../dist/tour', import.meta.url).pathname;

const begun = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1).padStart(6)}s`;
async function timed(what, work) {
  const since = performance.now();
  const result = await work();
  console.log(`${seconds(since)} ✓ ${what}`);
  return result;
}

const sites = await Sites.start();
const profile = await newProfile();
const state = await newState();
let companion, browser;
try {
  companion = await timed('start the companion', () =>
    Companion.start({ state: state.folder, llm: process.env.LOCI_LLM, llmUrl: process.env.LOCI_LLM_URL, llmModel: process.env.LOCI_LLM_MODEL }));
  browser = await timed('open the browser', () => Browser.launch({ folder: profile.folder, sites }));
  const core = await Core.of(browser);
  await timed('load the models', () => companion.ready());
  await timed('pair by the six digits', () => pair(core, companion));
  const tabs = [];
  let passages = 0;
  for (const url of PAGES) {
    const { page, state } = await timed(`remember ${url}: searchable`, () => remember(browser, core, url));
    passages += state.passages;
    tabs.push(page);
  }
  let last;
  await timed(`read ${passages} passages closely`, async () => {
    for (const url of PAGES) last = await readClosely(core, url, 900_000);
  });
  const counts = await core.counts();
  console.log(`         the memory holds ${counts.pages} pages, ${counts.passages} passages, ${counts.objects} things, ${counts.triples} triples, ${counts.theses} theses`);

  await tabs[2].bringToFront();
  const panel = await browser.panel();
  for (const question of QUESTIONS) {
    const turn = await timed(`ask: ${question}`, () => askPanel(panel, question, 300_000));
    console.log(`         ${((await turn.locator('.answer, .verdict, .note').first().innerText()) ?? '').replaceAll('\n', ' ')}`);
    for (const link of await turn.locator('a.cite').all()) {
      console.log(`         [${await link.innerText()}] ${await link.getAttribute('href')}`);
    }
    const figures = turn.locator('.figures');
    if (await figures.count()) console.log(`         ${(await figures.innerText()).replaceAll('\n', ' ')}`);
  }
  const files = await timed('take a picture of every screen', () => picture(browser, { panel, page: last.page, folder }));
  for (const file of files) console.log(`         ${file}`);
  if (browser.errors.length > 0) throw new Error(`the screens reported errors:\n${browser.errors.join('\n')}`);
  console.log(`${seconds(begun)} ✓ the tour`);
} catch (error) {
  console.error(`\n${error.stack}\n\nThe companion's log:\n${companion?.log ?? '(it did not start)'}`);
  process.exitCode = 1;
} finally {
  await browser?.close().catch(() => {});
  await companion?.kill();
  await sites.close();
  await profile.remove();
  await state.remove();
}

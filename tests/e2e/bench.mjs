// How long does a person wait? One JSON object on the last line.

import { readdir, readFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Browser, newProfile } from './harness/browser.mjs';
import { Core } from './harness/core.mjs';
import { searchable } from './harness/person.mjs';
import { Sites } from './harness/sites.mjs';
import { until } from './harness/until.mjs';

const { values } = parseArgs({ options: { data: { type: 'string' }, limit: { type: 'string', default: '40' } } });
const FIXTURES = ['article', 'chinese', 'table', 'shadow'];

/** Saved pages stay as they were saved: their scripts would look for servers that are not there, or lead away. */
const STILL = { 'content-security-policy': "script-src 'none'; frame-src 'none'; connect-src 'none'; img-src 'none'; style-src 'unsafe-inline'; font-src 'none'" };

/** Pages to capture: a name for each, and its HTML; `undefined` for a fixture page. */
async function articles() {
  if (!values.data) return FIXTURES.map((name) => ({ name }));
  const files = (await readdir(values.data, { recursive: true })).filter((file) => /\.html?(\.gz)?$/.test(file)).sort();
  const step = Math.max(1, files.length / Number(values.limit));
  const chosen = Array.from({ length: Math.min(files.length, Number(values.limit)) }, (_, index) => files[Math.floor(index * step)]);
  return Promise.all(
    chosen.map(async (file, index) => {
      let body = await readFile(join(values.data, file));
      if (file.endsWith('.gz')) body = (await import('node:zlib')).gunzipSync(body);
      return { name: `page-${index}`, body, file };
    }),
  );
}

const quantile = (sorted, part) => (sorted.length ? Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] * 10) / 10 : null);
const spread = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  return { n: sorted.length, p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max: quantile(sorted, 1) };
};

const sites = await Sites.start();
const profile = await newProfile();
const browser = await Browser.launch({ folder: profile.folder, sites });
try {
  const core = await Core.of(browser);
  const worker = browser.context.serviceWorkers()[0];

  // A warm core: it has opened its memory and remembered one page.
  const warm = await browser.open('http://short.test/');
  await browser.click(warm);
  await searchable(core, 'http://short.test/');
  const panel = await browser.panel();

  // The clock of the service worker starts at the action event, that of the core's page stops at the event that tells
  // every screen of the commit; both are this machine's clock.
  await worker.evaluate(() => {
    globalThis.clicks = [];
    chrome.action.onClicked.addListener(() => clicks.push(Date.now() + (performance.now() % 1)));
  });
  await core.watchCommits();
  const capture = [];
  const refused = [];
  for (const { name, body, file } of await articles()) {
    const url = body ? sites.set(name, body, { headers: STILL }) : `http://${name}.test/`;
    const page = await browser.context.newPage();
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: 20_000 }).catch(() => {});
    const before = (await core.commits()).length;
    const clicked = (await worker.evaluate(() => clicks.length)) ?? 0;
    await browser.click(page);
    const commit = await until(`${file ?? name} is remembered or refused`, async () => (await core.commits())[before], 30_000);
    if (commit.failed) refused.push(file ?? name);
    else capture.push(commit.at - (await worker.evaluate((index) => clicks[index], clicked)));
    await page.close();
  }

  // The panel as it opens on a warm core: from the start of its navigation to a question field that takes letters.
  const usable = [];
  for (let round = 0; round < 10; round += 1) {
    await panel.reload({ waitUntil: 'commit' });
    usable.push(
      await panel.evaluate(
        () =>
          new Promise((done) => {
            const look = () => {
              const field = document.querySelector('#question');
              if (!field || field.disabled || document.querySelector('.panel-main > .waiting')) return requestAnimationFrame(look);
              done(performance.now());
            };
            look();
          }),
      ),
    );
  }
  const cpu = cpus();
  console.log(JSON.stringify({
    machine: { cpu: cpu[0]?.model, cores: cpu.length, memory_gb: Math.round(totalmem() / 1e9), browser: browser.context.browser().version() },
    click_to_searchable_ms: { ...spread(capture), input: values.data ?? 'fixture pages', refused: refused.length, companion: 'off', core: 'warm' },
    side_panel_usable_ms: { ...spread(usable), core: 'warm', input: 'panel.html' },
  }));
} finally {
  await browser.close();
  await sites.close();
  await profile.remove();
}

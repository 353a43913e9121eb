// Loci for use: a companion, and a visible browser with a profile that lasts, paired by the six digits.

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Browser } from './harness/browser.mjs';
import { Companion } from './harness/companion.mjs';
import { Core } from './harness/core.mjs';
import { pair } from './harness/person.mjs';

const data = join(process.env.XDG_DATA_HOME || join(homedir(), '.local/share'), 'loci');
const folder = join(data, 'browser');
const state = process.env.LOCI_STATE || data;
await mkdir(folder, { recursive: true });

console.log('         starting the companion');
const companion = await Companion.start({
  state,
  llm: process.env.LOCI_LLM,
  llmUrl: process.env.LOCI_LLM_URL,
  llmModel: process.env.LOCI_LLM_MODEL,
  show: true,
});
let browser;
const leave = async () => {
  await browser?.close().catch(() => {});
  await companion.stop();
  process.exit();
};
process.once('SIGINT', leave);
process.once('SIGTERM', leave);

try {
  const known = existsSync(join(folder, 'Default'));
  browser = await Browser.launch({ folder, headless: false });
  const core = await Core.of(browser);
  await companion.ready(600_000);
  if ((await core.companion()).state === 'unpaired') await pair(core, companion);
  console.log(`
  Loci is running${known ? ', with the memory of last time' : ''}.

  1. Open a page worth keeping in the browser window.
  2. Click the Loci button in its toolbar (or press Alt+Shift+L). The side panel opens.
  3. Ask in the side panel.

  The memory is in ${folder}. Close the window or press Ctrl-C to stop.
`);
  await new Promise((closed) => browser.context.once('close', closed));
} catch (error) {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
} finally {
  await browser?.close().catch(() => {});
  await companion.stop();
}

// What a person does, step by step, on the real screens.

import { until } from './until.mjs';

/** Opens a page, waits for `ready` where its text comes late, and clicks the toolbar button. */
export async function remember(browser, core, url, ready) {
  const page = await browser.open(url);
  if (ready) await page.waitForSelector(ready, { state: 'attached' });
  await browser.click(page);
  const state = await searchable(core, url);
  return { page, state };
}

/** Waits until the page's text can be found. */
export function searchable(core, url) {
  return until(`${url} is searchable`, async () => {
    const state = await core.state(url);
    if (state.failure) throw new Error(JSON.stringify(state.failure));
    return state.page !== null && state.page !== undefined && state.passages > 0 && state.status !== 'capturing' && state;
  });
}

/** Waits until the companion has read every passage. */
export function readClosely(core, url, limit = 300_000) {
  return until(`${url} is read closely`, async () => {
    const state = await core.state(url);
    return state.status === 'remembered' && state.deep_passages === state.passages && state;
  }, limit);
}

/** Types the companion's code into the settings. */
export async function pair(core, companion) {
  const page = core.page;
  const code = await companion.pairingCode();
  await page.bringToFront();
  const field = page.getByLabel('Six-digit code');
  await field.waitFor({ timeout: 30_000 });
  await field.fill(code);
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  return until('the companion is paired', async () => {
    const state = await core.companion();
    return state.state === 'ready' && state;
  }, 30_000);
}

/** Asks in the side panel. @returns the turn's element once the answer has ended */
export async function askPanel(panel, question, limit = 180_000) {
  const before = await panel.locator('.turn').count();
  await panel.getByLabel('Ask your memory').fill(question);
  await panel.getByRole('button', { name: 'Ask', exact: true }).click();
  const turn = panel.locator('.turn').nth(before);
  await turn.waitFor();
  const end = turn.locator('.figures, .verdict, .note, .turn-actions');
  await end.first().waitFor({ timeout: limit });
  return turn;
}

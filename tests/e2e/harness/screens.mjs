// Pictures of every screen, light and dark.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const SCREENS = [
  { name: 'memories', path: 'app.html#memories' },
  { name: 'graph', path: 'app.html#graph' },
  { name: 'settings', path: 'app.html#settings' },
];

/**
 * @param {import('./browser.mjs').Browser} browser
 * @param {{ panel?: import('playwright-core').Page, page?: number, folder: string }} what `page` is one of the memory
 * @returns {Promise<string[]>} the files
 */
export async function picture(browser, { panel, page, folder }) {
  await mkdir(folder, { recursive: true });
  const files = [];
  const shoot = async (screen, name) => {
    for (const colorScheme of ['light', 'dark']) {
      await screen.emulateMedia({ colorScheme });
      const file = join(folder, `${name}-${colorScheme}.png`);
      await screen.screenshot({ path: file, animations: 'disabled' });
      files.push(file);
    }
  };
  if (panel) await shoot(panel, 'panel');
  const screens = page === undefined ? SCREENS : [...SCREENS, { name: 'memory', path: `app.html#memories/${page}` }];
  for (const { name, path } of screens) {
    const screen = await browser.open(browser.url(path));
    await screen.waitForFunction(() => document.querySelector('main') && !document.querySelector('.waiting'));
    // The layout of the graph settles; a still map is the condition.
    if (name === 'graph') await settled(screen);
    await shoot(screen, name);
    await screen.close();
  }
  return files;
}

async function settled(screen) {
  await screen.locator('canvas').first().waitFor();
  let before = '';
  for (let same = 0, looks = 0; same < 3 && looks < 60; looks += 1) {
    const now = await screen.evaluate(
      () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(document.querySelector('canvas').toDataURL())), 150)),
    );
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

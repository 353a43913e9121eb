// A real browser with the built extension: a profile folder, the toolbar click, the real side panel.

import { chromium } from 'playwright-core';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from './until.mjs';

const EXTENSION = resolve(process.env.LOCI_EXTENSION ?? new URL('../../../dist/extension', import.meta.url).pathname);
const CHROMIUM = process.env.LOCI_CHROMIUM ?? 'chromium';

/** A folder for one browser profile, gone with `remove`. */
export async function newProfile() {
  const folder = await mkdtemp(join(tmpdir(), 'loci-profile-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

export class Browser {
  /** Errors that pages and workers of the extension reported. */
  errors = [];
  #attached = [];

  /**
   * @param {{ folder: string, sites?: import('./sites.mjs').Sites, headless?: boolean, colorScheme?: 'light' | 'dark' }} options
   */
  static async launch({ folder, sites, headless = true, colorScheme = 'light', viewport = { width: 1280, height: 900 } }) {
    const browser = new Browser();
    // A file of an earlier run would name a port that nobody listens on.
    await rm(join(folder, 'DevToolsActivePort'), { force: true });
    browser.folder = folder;
    browser.context = await chromium.launchPersistentContext(folder, {
      executablePath: CHROMIUM,
      headless,
      // With a window, Ctrl-C is for the script that opened it.
      handleSIGINT: headless,
      viewport: headless ? viewport : null,
      colorScheme,
      // Playwright's own default switches extensions off.
      ignoreDefaultArgs: ['--disable-extensions', '--disable-component-extensions-with-background-pages'],
      args: [
        ...(process.getuid?.() === 0 || process.env.CI ? ['--no-sandbox'] : []),
        `--disable-extensions-except=${EXTENSION}`,
        `--load-extension=${EXTENSION}`,
        '--remote-debugging-port=0',
        '--no-first-run',
        '--no-default-browser-check',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
        ...(sites ? [`--host-resolver-rules=${sites.resolverRules}`] : []),
      ],
    });
    const context = browser.context;
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker', { timeout: 30_000 }));
    browser.id = new URL(worker.url()).host;
    browser.cdp = await context.browser().newBrowserCDPSession();
    context.on('weberror', (error) => browser.errors.push(String(error.error())));
    return browser;
  }

  url(page) {
    return `chrome-extension://${this.id}/${page}`;
  }

  /** Opens a page and waits until it is loaded. */
  async open(url) {
    const page = await this.context.newPage();
    await page.goto(url);
    return page;
  }

  /** Clicks the extension's toolbar button on this tab, as a user does: it grants `activeTab` and opens the side panel. */
  async click(page) {
    await page.bringToFront();
    const session = await this.context.newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    // The action wants the tab, of which the page is a part: they share the address.
    const { targetInfos } = await this.cdp.send('Target.getTargets', { filter: [{ type: 'tab' }, { type: 'page' }] });
    const tabs = targetInfos.filter((target) => target.type === 'tab' && target.url === targetInfo.url);
    if (tabs.length !== 1) throw new Error(`${tabs.length} tabs show ${targetInfo.url}`);
    await this.cdp.send('Extensions.triggerAction', { id: this.id, targetId: tabs[0].targetId });
  }

  /** The real side panel, once it is open. Playwright sees it only on a connection made afterwards. */
  async panel() {
    const [port] = (await readFile(join(this.folder, 'DevToolsActivePort'), 'utf8')).split('\n');
    return until('the side panel is open', async () => {
      const { targetInfos } = await this.cdp.send('Target.getTargets');
      if (!targetInfos.some((target) => target.url.includes('/panel.html'))) return undefined;
      const attached = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
      const panel = attached.contexts().flatMap((context) => context.pages()).find((page) => page.url().includes('/panel.html'));
      if (!panel) {
        await attached.close();
        return undefined;
      }
      this.#attached.push(attached);
      panel.on('pageerror', (error) => this.errors.push(`panel: ${error.message}`));
      return panel;
    });
  }

  async close() {
    for (const attached of this.#attached.splice(0)) await attached.close().catch(() => {});
    await this.context.close();
  }
}

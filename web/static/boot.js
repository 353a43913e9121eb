// Boot lines of the screens. The theme is set before the first paint, from what the settings left here last.

import init, { start } from './web.js';

document.documentElement.dataset.theme = localStorage.getItem('loci-theme') ?? 'system';
await init({ module_or_path: new URL('web_bg.wasm', import.meta.url) });
start();

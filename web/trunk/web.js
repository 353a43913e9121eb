// Under Trunk the module bears the crate's name; the screens and the layout worker import it by the name that
// `cargo xtask build` gives it.

import init from './loci-web.js';

export * from './loci-web.js';
export default () => init({ module_or_path: new URL('loci-web_bg.wasm', import.meta.url) });

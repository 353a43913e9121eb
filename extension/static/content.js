// Content script: serialises the rendered document once, when the user asks for it, and returns it to the service
// worker. It sees what the page's own scripts made of the page, open shadow roots included, and changes nothing.

(() => {
  /** Characters of HTML: far above any article, far below the 64 MiB that a message may hold. */
  const MAX_HTML = 20_000_000;
  const MAX_TEXT = 4_000_000;
  /** Elements without end tag. */
  const VOID = new Set(['AREA', 'BASE', 'BR', 'COL', 'EMBED', 'HR', 'IMG', 'INPUT', 'LINK', 'META', 'SOURCE', 'TRACK', 'WBR']);
  /** Elements whose content is no text of the page. */
  const DROPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'CANVAS', 'IFRAME', 'OBJECT', 'EMBED', 'INPUT', 'TEXTAREA', 'SELECT']);
  /** Attributes that say what an element means. Values a user typed, tokens and handlers are not among them. */
  const KEPT = new Set(['about', 'abbr', 'alt', 'aria-hidden', 'aria-label', 'aria-level', 'cite', 'class', 'colspan', 'content', 'datetime', 'dir', 'headers', 'hidden', 'href', 'hreflang', 'http-equiv', 'id', 'itemid', 'itemprop', 'itemref', 'itemscope', 'itemtype', 'lang', 'name', 'open', 'prefix', 'property', 'rel', 'resource', 'reversed', 'role', 'rowspan', 'scope', 'slot', 'src', 'start', 'title', 'type', 'typeof', 'vocab']);

  class TooLarge extends Error {}

  const pieces = [];
  const shadowRoots = [];
  let size = 0;

  function put(text) {
    size += text.length;
    if (size > MAX_HTML) throw new TooLarge();
    pieces.push(text);
  }

  const escapeText = (text) => text.replace(/[&<>\u00a0]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\u00a0': '&nbsp;' })[c]);
  const escapeAttribute = (text) => text.replace(/[&"\u00a0]/g, (c) => ({ '&': '&amp;', '"': '&quot;', '\u00a0': '&nbsp;' })[c]);

  function attributes(element) {
    let text = '';
    for (const { name, value } of element.attributes) {
      if (KEPT.has(name) && !value.startsWith('data:')) text += ` ${name}="${escapeAttribute(value)}"`;
    }
    // Of the styles only the one that hides matters.
    if (element.style?.display === 'none') text += ' style="display:none"';
    return text;
  }

  function element(node) {
    const tag = node.tagName.toUpperCase();
    const name = node.localName;
    if (tag === 'SCRIPT' && node.type === 'application/ld+json') {
      put(`<script type="application/ld+json">${node.textContent.replace(/<\/(script)/gi, '<\\/$1')}</script>`);
      return;
    }
    if (DROPPED.has(tag) || tag === 'SVG') return;
    put(`<${name}${attributes(node)}>`);
    if (VOID.has(tag)) return;
    if (node.shadowRoot) {
      shadowRoots.push(node.shadowRoot);
      put('<template shadowrootmode="open">');
      children(node.shadowRoot);
      put('</template>');
    }
    children(node);
    put(`</${name}>`);
  }

  function children(parent) {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === Node.ELEMENT_NODE) element(node);
      else if (node.nodeType === Node.TEXT_NODE) put(escapeText(node.data));
    }
  }

  /** What a person sees; `innerText` stops at shadow roots. */
  function visibleText() {
    const shadow = shadowRoots.flatMap((root) => [...root.children].map((child) => child.innerText ?? ''));
    return [document.body?.innerText ?? '', ...shadow].join('\n').slice(0, MAX_TEXT);
  }

  try {
    put('<!doctype html>');
    if (document.documentElement) element(document.documentElement);
  } catch (error) {
    if (error instanceof TooLarge) {
      return { failure: { kind: 'too_large', hint: 'This page is too long to be remembered as a whole.' } };
    }
    // A document nested too deeply to walk still has its visible text.
    if (!(error instanceof RangeError)) throw error;
    pieces.length = 0;
  }
  return {
    url: location.href,
    html: pieces.join(''),
    visible_text: visibleText(),
    title: document.title,
    content_type: document.contentType,
    captured: Date.now(),
  };
})();

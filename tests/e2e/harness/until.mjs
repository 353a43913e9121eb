// Waiting for a condition: the only kind of waiting there is in these tests.

/**
 * Asks again and again until the answer is truthy, and returns it. An error counts as "not yet" and is shown when time
 * is up.
 * @template T
 * @param {string} what for the message
 * @param {() => Promise<T> | T} ask
 * @param {number} [limit] milliseconds
 * @returns {Promise<T>}
 */
export async function until(what, ask, limit = 15_000) {
  const end = Date.now() + limit;
  let last;
  for (;;) {
    try {
      last = await ask();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      const shown = last instanceof Error ? last.message : JSON.stringify(last);
      throw new Error(`waited ${limit} ms in vain until ${what}; last: ${shown}`, { cause: last instanceof Error ? last : undefined });
    }
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

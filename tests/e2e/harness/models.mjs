// The model files that `cargo xtask models` put into the cache.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = process.env.LOCI_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'loci');

function model(name) {
  const file = join(cache, 'models', name);
  if (!existsSync(file)) throw new Error(`${file} is not there; run \`cargo xtask models --profile tiny\``);
  return file;
}

/** Speaks, but says little: for the plumbing. */
export const plumbing = () => model('SmolLM2-135M-Instruct.Q4_1.gguf');
/** The smallest model whose facts are worth keeping. */
export const smallest = () => model('qwen2.5-coder-0.5b-instruct-q4_k_m.gguf');

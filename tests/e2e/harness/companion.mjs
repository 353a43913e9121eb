// A real companion: the built program with a state folder of its own.

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.mjs';

const PROGRAM = resolve(process.env.LOCI_COMPANION ?? new URL('../../../target/release/loci', import.meta.url).pathname);
const call = promisify(execFile);

/** A state folder, gone with `remove`. */
export async function newState() {
  const folder = await mkdtemp(join(tmpdir(), 'loci-state-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

export class Companion {
  /** What it logged. */
  log = '';

  /**
   * @param {{ state: string, port?: number, llm?: string, llmUrl?: string, llmModel?: string, show?: boolean }} options
   *   `port` 0 is any free one, absent means the default ones; `llm` is a GGUF file; `show` prints the log.
   */
  static async start({ state, port, llm, llmUrl, llmModel, show = false }) {
    const companion = new Companion();
    companion.state = state;
    const options = ['--state', state, 'serve'];
    if (port !== undefined) options.push('--port', String(port));
    if (llmUrl) options.push('--llm-url', llmUrl, '--llm-model', llmModel);
    else if (llm) options.push('--model', llm);
    companion.process = spawn(PROGRAM, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    companion.ended = new Promise((ended) => companion.process.once('exit', (code, signal) => ended(code ?? signal)));
    for (const stream of [companion.process.stdout, companion.process.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        companion.log += text;
        if (show) process.stderr.write(text);
      });
    }
    companion.port = await until('the companion listens', () => {
      if (companion.process.exitCode !== null) throw new Error(`the companion ended: ${companion.log}`);
      return Number(companion.log.match(/listening on http:\/\/127\.0\.0\.1:(\d+)/)?.[1]);
    });
    return companion;
  }

  /** @returns {Promise<any>} what `loci status` says */
  async status() {
    const { stdout } = await call(PROGRAM, ['--state', this.state, 'status', '--json']);
    return JSON.parse(stdout);
  }

  /** Waits until the models are loaded. */
  async ready(limit = 180_000) {
    await until('the models are loaded', async () => {
      const { embedder, llm } = await this.status();
      for (const model of [embedder, llm]) if (model.state === 'failed') throw new Error(JSON.stringify(model));
      return embedder.state === 'ready' && llm.state !== 'loading';
    }, limit);
    return this;
  }

  /** Opens pairing, as the user does in a terminal. @returns {Promise<string>} the six digits */
  async pairingCode() {
    const { stdout } = await call(PROGRAM, ['--state', this.state, 'pair']);
    return stdout.replace(/\D/g, '');
  }

  /** @returns {Promise<string>} what `loci devices` lists */
  async devices() {
    return (await call(PROGRAM, ['--state', this.state, 'devices'])).stdout;
  }

  /** Shuts one paired browser out. */
  async revoke(id) {
    await call(PROGRAM, ['--state', this.state, 'revoke', id]);
  }

  /** Ends it as a power cut would. */
  async kill() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  /** Ends it as Ctrl-C does. */
  async stop() {
    this.process.kill('SIGINT');
    return this.ended;
  }
}

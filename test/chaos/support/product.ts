import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { environmentOn, type Part, startPart } from '../../support/processes.js';
import { buildProgram } from '../../support/program.js';
import { testKeys } from '../../support/redis.js';

const patience = 60_000;

/** Real processes on both stand-ins and the test's own Redis. */
export interface Product {
  readonly forge: SandboxForge;
  readonly slack: SandboxSlack;
  start(word: 'bot' | 'worker' | 'start', more?: Readonly<Record<string, string>>): Promise<Part>;
  stop(part: Part): Promise<void>;
  /** The health endpoint of this process. */
  readyz(part: Part): Promise<string>;
  link(): Promise<void>;
  /** Types it in #engine and waits for an answer that contains this. */
  ask(text: string, says: string): Promise<void>;
  close(): Promise<void>;
}

export async function startProduct(redisUrl: string): Promise<Product> {
  const [forge, slack, program] = await Promise.all([startForge(), startSlack(), buildProgram()]);
  const folder = await mkdtemp(join(tmpdir(), 'bellows-policy-'));
  await writeFile(join(folder, 'bellows.yaml'), 'feed: { busySeconds: 1, idleSeconds: 1 }\n');
  const parts = new Set<Part>();
  const env = environmentOn(
    { forge, slack, redisUrl, keys: testKeys },
    { BELLOWS_CONFIG: join(folder, 'bellows.yaml') },
  );
  const ada = slack.as('ada');
  const ask = async (text: string, says: string): Promise<void> => {
    const before = new Set(ada.sees('engine').map(({ ts }) => ts));
    await ada.command('engine', '/forge', text);
    const answered = () =>
      ada.sees('engine').some((each) => !before.has(each.ts) && JSON.stringify(each).includes(says));
    await slack.until(answered, patience);
  };
  return {
    forge,
    slack,
    async start(word, more = {}) {
      const part = await startPart(word, { ...env, ...more }, program.command);
      parts.add(part);
      return part;
    },
    async stop(part) {
      parts.delete(part);
      await part.kill('SIGTERM');
    },
    async readyz({ logged }) {
      const address = /"address":"([^"]+)"/.exec(logged.join('\n'))?.[1] ?? '';
      return (await fetch(`${address}/readyz`)).text();
    },
    async link() {
      await ada.command('engine', '/forge', 'signin');
      await ada.fill({ token: forge.account('ada').token() });
      await ada.submit();
      await slack.until(() => ada.sees('engine').some(({ text }) => text.includes('inked')), patience);
    },
    ask,
    async close() {
      await Promise.all([...parts].map((part) => part.kill('SIGTERM')));
      await Promise.all([forge.close(), slack.close(), program.remove()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

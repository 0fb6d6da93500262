import type { Part } from '../bot.js';
import type { Config } from '../config.js';
import { within } from '../deadline.js';
import type { Log } from '../log.js';

const patienceMs = 2_000;

/** Four lines that say what is running: mode, workspace, forge and address. */
export async function sayReady(
  log: Log,
  config: Config,
  {
    name,
    part,
    address,
  }: { readonly name: 'bellows' | 'bot' | 'worker'; readonly part: Part; readonly address: string },
): Promise<void> {
  const { workspace, server } = part.about;
  const { product = 'a forge', version } = await within(patienceMs, server(), 'too slow').catch(() => ({
    product: undefined,
    version: undefined,
  }));
  const slack = config.slack.mode.kind === 'socket' ? 'Socket Mode' : 'HTTP';
  const runs = name === 'bellows' ? 'bot and worker' : name;
  log.info({ mode: name, slack }, `mode: ${runs}, Slack over ${slack}`);
  log.info({ workspace }, `workspace: ${workspace}`);
  log.info(
    { product, version },
    `forge: ${[product, version].filter(Boolean).join(' ')} at ${config.forge.webUrl ?? config.forge.url}`,
  );
  log.info({ address }, `${name} is ready at ${address}`);
}

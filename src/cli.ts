#!/usr/bin/env -S node --max-semi-space-size=1
import { ConfigError, UserError } from './errors.js';

type Run = (args: readonly string[]) => Promise<number>;

/** Heavy parts are imported only by the word that needs them. */
const words: Readonly<Record<string, { readonly summary: string; load(): Promise<{ readonly run: Run }> }>> = {
  start: {
    summary: 'run bot and worker in one process; the sandbox where nothing is configured',
    load: () => import('./cli/start.js'),
  },
  sandbox: { summary: 'try Bellows on stand-ins, nothing configured', load: () => import('./cli/sandbox.js') },
  bot: { summary: 'run the process that listens to Slack', load: () => import('./cli/bot.js') },
  worker: { summary: 'run the process that does the work', load: () => import('./cli/worker.js') },
  doctor: { summary: 'look at settings, Redis, forge and Slack: --json', load: () => import('./cli/doctor.js') },
  commands: { summary: 'print the command catalogue, --json for machines', load: () => import('./cli/commands.js') },
  audit: {
    summary: 'export the audit chain as JSON lines, or verify it: export | verify [--head seq:hash]',
    load: () => import('./cli/audit.js'),
  },
  subscriptions: {
    summary: 'keep subscriptions in a file: export | plan <file> | apply <file> --plan <id>',
    load: () => import('./cli/subscriptions.js'),
  },
  namespace: {
    summary: 'show which forge the data belongs to, or accept its new address: accept [--was <address>] [--force]',
    load: () => import('./cli/namespace.js'),
  },
  manifest: {
    summary: 'write the Slack app manifest: --forge-host … [--command …] [--mode http --url …]',
    load: () => import('./cli/manifest.js'),
  },
};

function usage(): string {
  const width = Math.max(...Object.keys(words).map((word) => word.length));
  return [
    'bellows <word>',
    '',
    ...Object.entries(words).map(([word, { summary }]) => `  ${word.padEnd(width)}  ${summary}`),
  ].join('\n');
}

async function main([word = 'help', ...args]: readonly string[]): Promise<number> {
  const known = Object.hasOwn(words, word) ? words[word] : undefined;
  if (!known) {
    console.error(usage());
    return word === 'help' || word === '--help' ? 0 : 2;
  }
  try {
    return await (await known.load()).run(args);
  } catch (error) {
    if (error instanceof ConfigError) {
      console.error(['Please correct:', ...error.problems.map((each) => `  ${each}`)].join('\n'));
      return 2;
    }
    if (error instanceof UserError) {
      console.error(error.message);
      return 1;
    }
    if (isMistyped(error)) {
      console.error(`${error.message}\n  ${word}: ${known.summary}`);
      return 2;
    }
    throw error;
  }
}

const isMistyped = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');

process.exitCode = await main(process.argv.slice(2));

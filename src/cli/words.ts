type Run = (args: readonly string[]) => Promise<number>;

export interface Word {
  readonly summary: string;
  /** Each way to write it, without the program's name, and what that does. */
  readonly ways: Readonly<Record<string, string>>;
  load(): Promise<{ readonly run: Run }>;
}

const settings = 'Settings are environment variables: docs/deployment.md.';

/** Heavy parts are imported only by the word that needs them. */
export const words: Readonly<Record<string, Word>> = {
  start: {
    summary: 'run bot and worker in one process; the sandbox where nothing is configured',
    ways: {
      start: `bot and worker in one process. ${settings} Without any it starts the sandbox, unless NODE_ENV is production.`,
    },
    load: () => import('./start.js'),
  },
  sandbox: {
    summary: 'try Bellows on stand-ins, nothing configured',
    ways: {
      sandbox: 'Slack, forge and Redis are stand-ins on this machine; your settings are left alone',
      'sandbox --use-redis-url': 'keep the data in the Redis that REDIS_URL names',
    },
    load: () => import('./sandbox.js'),
  },
  bot: {
    summary: 'run the process that listens to Slack',
    ways: { bot: `listens to Slack, stores and acknowledges commands. ${settings}` },
    load: () => import('./bot.js'),
  },
  worker: {
    summary: 'run the process that does the work',
    ways: { worker: `runs commands, polls the forge, posts to Slack. ${settings}` },
    load: () => import('./worker.js'),
  },
  doctor: {
    summary: 'check settings, Redis, forge and Slack',
    ways: {
      doctor: 'each finding with its remedy; exit code 1 when something must be corrected',
      'doctor --json': 'the same for scripts',
    },
    load: () => import('./doctor.js'),
  },
  commands: {
    summary: 'print the command catalogue',
    ways: { commands: 'as a table', 'commands --json': 'for scripts' },
    load: () => import('./commands.js'),
  },
  deploy: {
    summary: 'list the deployments in bellows.yaml',
    ways: { 'deploy list': 'who may ask, who approves, and when it is frozen', 'deploy list --json': 'for scripts' },
    load: () => import('./deploy.js'),
  },
  audit: {
    summary: 'export, verify or trim the audit chain',
    ways: {
      'audit export': 'writes all rows as JSON lines to standard output',
      'audit trim --before 2026-01-31 --export old.jsonl':
        'verifies the chain, keeps the older rows in a new file, then drops them behind a signed checkpoint; the newest row stays. --unverified: although the chain is broken',
      'audit verify [--head seq:hash]': 'names the first broken link; --head: a row that was logged elsewhere',
    },
    load: () => import('./audit.js'),
  },
  subscriptions: {
    summary: 'keep subscriptions in a file',
    ways: {
      'subscriptions export': 'writes all subscriptions as YAML',
      'subscriptions plan <file> [--keep] [--check]':
        'shows what applying the file would change; --check: exit code 1 if anything',
      'subscriptions apply <file> --plan <id> [--keep]':
        'applies exactly what was planned; --yes applies without a plan',
    },
    load: () => import('./subscriptions.js'),
  },
  namespace: {
    summary: 'show which forge the data belongs to, or accept its new address',
    ways: {
      namespace: 'shows the namespace, its forge and its keys',
      'namespace accept': 'the forge has a new address: compares both, then remembers the new one',
      'namespace accept --was <address>': 'takes over data that an earlier version kept under that address',
      'namespace accept --force': 'without comparing',
    },
    load: () => import('./namespace.js'),
  },
  records: {
    summary: 'list stored records that are not signed, or sign them',
    ways: {
      records: 'lists subscriptions and reminders that BELLOWS_KEYS did not sign; Bellows does not use them',
      'records sign': 'signs them as they are listed: after an upgrade or a lost key, once you have read the list',
    },
    load: () => import('./records.js'),
  },
  manifest: {
    summary: 'write the Slack app manifest',
    ways: {
      'manifest --forge-host git.example.org': 'for Socket Mode',
      'manifest --mode http --url https://bellows.example.org --forge-host …': 'for HTTP mode',
      'manifest … --command /git': 'another slash command; else BELLOWS_COMMAND, else /forge',
      'manifest … --match-email': 'also asks for users:read.email, for matchEmail in bellows.yaml',
    },
    load: () => import('./manifest.js'),
  },
};

export function usage(): string {
  const width = Math.max(...Object.keys(words).map((word) => word.length));
  return [
    'bellows <word>',
    '',
    ...Object.entries(words).map(([word, { summary }]) => `  ${word.padEnd(width)}  ${summary}`),
    '',
    'bellows <word> --help says more. bellows --version prints the version.',
  ].join('\n');
}

export const helpOf = (word: string, { summary, ways }: Word): string =>
  [
    `bellows ${word}: ${summary}`,
    '',
    ...Object.entries(ways).flatMap(([way, says]) => [`  bellows ${way}`, `      ${says}`]),
  ].join('\n');

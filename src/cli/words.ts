type Run = (args: readonly string[]) => Promise<number>;

export interface Word {
  readonly summary: string;
  /** Each usage without the program's name, and what it does. */
  readonly ways: Readonly<Record<string, string>>;
  load(): Promise<{ readonly run: Run }>;
}

const settings = 'Settings are environment variables; see docs/deployment.md.';

/** Heavy modules are imported only by the subcommand that needs them. */
export const words: Readonly<Record<string, Word>> = {
  start: {
    summary: 'run the bot and the worker in one process',
    ways: {
      start: `${settings} Without any settings, it starts the sandbox unless NODE_ENV is production.`,
    },
    load: () => import('./start.js'),
  },
  sandbox: {
    summary: 'try Bellows without Slack, a forge or Redis',
    ways: {
      sandbox: 'simulates Slack, the forge and Redis on this machine; ignores your settings',
      'sandbox --use-redis-url': 'stores its data in REDIS_URL',
    },
    load: () => import('./sandbox.js'),
  },
  bot: {
    summary: 'run only the bot',
    ways: { bot: `receives commands, forms and clicks from Slack. ${settings}` },
    load: () => import('./bot.js'),
  },
  worker: {
    summary: 'run only the worker',
    ways: { worker: `runs commands, checks the forge and posts to Slack. ${settings}` },
    load: () => import('./worker.js'),
  },
  doctor: {
    summary: 'check settings, Redis, the forge and Slack',
    ways: {
      doctor: 'lists problems and how to fix them; exits with 1 if there are any',
      'doctor --json': 'prints JSON',
    },
    load: () => import('./doctor.js'),
  },
  commands: {
    summary: 'list all slash commands',
    ways: { commands: 'prints a table', 'commands --json': 'prints JSON' },
    load: () => import('./commands.js'),
  },
  deploy: {
    summary: 'list the deployments in bellows.yaml',
    ways: {
      'deploy list': 'shows who can request and approve each one, and when it is frozen',
      'deploy list --json': 'prints JSON',
    },
    load: () => import('./deploy.js'),
  },
  audit: {
    summary: 'export, verify or trim the audit log',
    ways: {
      'audit export': 'prints all rows as JSON lines',
      'audit trim --before 2026-01-31 --export old.jsonl':
        'verifies the log, moves older rows to a new file and keeps the newest row; --unverified trims even if the log is broken',
      'audit verify [--head seq:hash]': 'reports the first broken row; --head also checks a row from your logs',
    },
    load: () => import('./audit.js'),
  },
  subscriptions: {
    summary: 'manage subscriptions in a file',
    ways: {
      'subscriptions export': 'prints all subscriptions as YAML',
      'subscriptions plan <file> [--keep] [--check]':
        'shows what the file would change; --check exits with 1 if there are changes',
      'subscriptions apply <file> --plan <id> [--keep]': 'applies a plan; --yes applies the file without one',
    },
    load: () => import('./subscriptions.js'),
  },
  namespace: {
    summary: 'show or change the forge the data belongs to',
    ways: {
      namespace: 'shows the namespace, its forge and its keys',
      'namespace accept': 'accepts a new address of the same forge, after comparing both',
      'namespace accept --was <address>': 'adopts data that an earlier version stored under that address',
      'namespace accept --force': 'accepts even if there is nothing to compare; a forge that differs is still refused',
    },
    load: () => import('./namespace.js'),
  },
  mcp: {
    summary: 'let an agent use Bellows over standard input and output',
    ways: {
      'mcp --url https://bellows.example.org':
        'forwards MCP messages to a running Bellows, with the agent token in BELLOWS_AGENT_TOKEN; the default URL is BELLOWS_PUBLIC_URL, or this machine',
    },
    load: () => import('./mcp.js'),
  },
  'oauth-app': {
    summary: 'register Bellows on the forge so that people can sign in there',
    ways: {
      'oauth-app': 'prints what to enter on the forge: the redirect address and the scopes people are asked for',
      'oauth-app --register':
        'registers it for the account whose access token (write:user) it reads from standard input',
      'oauth-app … --public': 'uses a public client, without a secret',
    },
    load: () => import('./oauth-app.js'),
  },
  manifest: {
    summary: 'print the Slack app manifest',
    ways: {
      'manifest --forge-host git.example.org': 'for Socket Mode',
      'manifest --mode http --url https://bellows.example.org --forge-host …': 'for HTTP mode',
      'manifest … --command /git': 'uses another slash command; the default is BELLOWS_COMMAND or /forge',
      'manifest … --match-email': 'adds users:read.email, for matchEmail in bellows.yaml',
      'manifest … --work-objects': 'adds the event for the details pane, for workObjects in bellows.yaml',
      'manifest … --thread-sync': 'adds the events that thread:sync needs: all messages in channels the bot is in',
    },
    load: () => import('./manifest.js'),
  },
};

export function usage(): string {
  const width = Math.max(...Object.keys(words).map((word) => word.length));
  return [
    'Usage: bellows <command>',
    '',
    ...Object.entries(words).map(([word, { summary }]) => `  ${word.padEnd(width)}  ${summary}`),
    '',
    'Run bellows <command> --help for details, bellows --version for the version.',
  ].join('\n');
}

export const helpOf = (word: string, { summary, ways }: Word): string =>
  [
    `bellows ${word}: ${summary}`,
    '',
    ...Object.entries(ways).flatMap(([way, says]) => [`  bellows ${way}`, `      ${says}`]),
  ].join('\n');

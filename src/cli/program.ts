import { Command, CommanderError } from 'commander';

export interface Surroundings {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
}

/** @internal Each subcommand ends with an exit code. Heavy modules are imported only by the one that needs them. */
export function createProgram(
  ended: (code: Promise<number>) => Promise<void>,
  { env, print, version }: Surroundings,
): Command {
  const program = new Command('bellows')
    .description('Run Gitea and Forgejo from Slack. Settings are environment variables; see docs/deployment.md.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('Run bellows help, or bellows help <command>, for what there is.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'bellows: ')) })
    .exitOverride();
  const add = (parent: Command, word: string, says: string): Command => parent.command(word).description(says);

  add(program, 'start', 'run the bot and the worker in one process')
    .addHelpText('after', '\nWithout any settings, it starts the sandbox unless NODE_ENV is production.')
    .action(() => ended(import('./start.js').then(({ run }) => run())));
  add(program, 'sandbox', 'try Bellows without Slack, a forge or Redis')
    .addHelpText('after', '\nIt simulates Slack, the forge and Redis on this machine and ignores your settings.')
    .option('--use-redis-url', 'store its data in REDIS_URL')
    .action((options) => ended(import('./sandbox.js').then(({ run }) => run(options))));
  add(program, 'bot', 'run only the bot: it receives commands, forms and clicks from Slack').action(() =>
    ended(import('./bot.js').then(({ run }) => run())),
  );
  add(program, 'worker', 'run only the worker: it runs commands, checks the forge and posts to Slack').action(() =>
    ended(import('./worker.js').then(({ run }) => run())),
  );
  add(program, 'doctor', 'check settings, Redis, the forge and Slack')
    .addHelpText('after', '\nIt lists problems and how to fix them, and exits with 1 if there are any.')
    .option('--json', 'print JSON')
    .action((options) => ended(import('./doctor.js').then(({ run }) => run(options))));
  add(program, 'commands', 'list all slash commands')
    .option('--json', 'print JSON')
    .action((options) => ended(import('./commands.js').then(({ run }) => run(options))));

  add(program, 'schema', 'print the JSON Schema of bellows.yaml, for editors').action(() =>
    ended(
      import('../config/file.js').then(({ policySchema }) => {
        print(JSON.stringify(policySchema(), null, 2));
        return 0;
      }),
    ),
  );

  const deploy = add(program, 'deploy', 'list the deployments in bellows.yaml');
  add(deploy, 'list', 'show who can request and approve each one, and when it is frozen')
    .option('--json', 'print JSON')
    .action((options) => ended(import('./deploy.js').then(({ run }) => run(options, env, print))));

  const audit = add(program, 'audit', 'export, verify or trim the audit log');
  add(audit, 'export', 'print all rows as JSON lines').action(() =>
    ended(import('./audit.js').then(({ run }) => run('export', {}))),
  );
  add(audit, 'verify', 'report the first broken row')
    .option('--head <seq:hash>', 'also check a row from your logs')
    .action((options) => ended(import('./audit.js').then(({ run }) => run('verify', options))));
  add(audit, 'trim', 'verify the log, move older rows to a new file and keep the newest row')
    .requiredOption('--before <date>', 'rows before this day or time, such as 2026-01-31')
    .requiredOption('--export <file>', 'the file to move them to')
    .option('--unverified', 'trim even if the log is broken')
    .action((options) => ended(import('./audit.js').then(({ run }) => run('trim', options))));

  const subscriptions = add(program, 'subscriptions', 'manage subscriptions in a file');
  const manage = (word: 'export' | 'plan' | 'apply') => (file: string | undefined, options: object) =>
    ended(import('./subscriptions.js').then(({ run }) => run(word, file, options, env, print)));
  add(subscriptions, 'export', 'print all subscriptions as YAML').action((options) =>
    manage('export')(undefined, options),
  );
  add(subscriptions, 'plan', 'show what the file would change')
    .argument('<file>')
    .option('--keep', 'keep subscriptions that are not in the file')
    .option('--check', 'exit with 1 if there are changes')
    .action(manage('plan'));
  add(subscriptions, 'apply', 'apply a plan')
    .argument('<file>')
    .option('--plan <id>', 'the plan that was shown')
    .option('--yes', 'apply the file without a plan')
    .option('--keep', 'keep subscriptions that are not in the file')
    .action(manage('apply'));

  const namespace = add(program, 'namespace', 'show or change the forge the data belongs to');
  namespace
    .command('show', { isDefault: true })
    .description('show the namespace, its forge and its keys')
    .action(() => ended(import('./namespace.js').then(({ run }) => run('show', {}))));
  add(namespace, 'accept', 'accept a new address of the same forge, after comparing both')
    .option('--force', 'accept even if there is nothing to compare; a forge that differs is still refused')
    .action((options) => ended(import('./namespace.js').then(({ run }) => run('accept', options))));

  add(program, 'mcp', 'let an agent use Bellows over standard input and output')
    .addHelpText(
      'after',
      '\nIt forwards MCP messages to a running Bellows, with the agent token in BELLOWS_AGENT_TOKEN.',
    )
    .option('--url <address>', 'where it runs; BELLOWS_PUBLIC_URL or this machine by default')
    .action((options) => ended(import('./mcp.js').then(({ run }) => run(options))));
  add(program, 'oauth-app', 'register Bellows on the forge so that people can sign in there')
    .addHelpText('after', '\nWithout --register, it prints what to enter on the forge.')
    .option('--register', 'register it for the account whose access token (write:user) it reads from standard input')
    .option('--public', 'use a public client, without a secret')
    .action((options) => ended(import('./oauth-app.js').then(({ run }) => run(options))));
  add(program, 'manifest', 'print the Slack app manifest')
    .option('--mode <socket|http>', 'how Slack reaches Bellows', 'socket')
    .option('--url <address>', 'the public address, for HTTP mode')
    .option('--forge-host <host>', 'the host of your forge, so that links to it get previews')
    .option('--command <word>', 'another slash command; BELLOWS_COMMAND or /forge by default')
    .option('--match-email', 'add users:read.email, for matchEmail in bellows.yaml')
    .option('--work-objects', 'add the event for the details pane, for workObjects in bellows.yaml')
    .option('--thread-sync', 'add the events that thread:sync needs: all messages in channels the bot is in')
    .action((options) => ended(import('./manifest.js').then(({ run }) => run(options))));
  return program;
}

/** The exit code; a mistyped line, of which the person was told, is 2. */
export async function runProgram(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let code = 0;
  const program = createProgram(async (ending) => {
    code = await ending;
  }, surroundings);
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

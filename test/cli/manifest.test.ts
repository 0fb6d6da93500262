import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cli, runHere } from '../support/cli.js';

/** The program's output. */
const printed = () => vi.spyOn(console, 'log').mockImplementation(() => {});
const warned = () => vi.spyOn(console, 'error').mockImplementation(() => {});
let out: ReturnType<typeof printed>;
let aside: ReturnType<typeof warned>;

const run = (args: readonly string[]) => runHere(['manifest', ...args]);
const host = ['--forge-host', 'git.example.org'];
const http = ['--mode', 'http', ...host];
const manifest = () => JSON.parse(String(out.mock.lastCall?.[0]));

describe('bellows manifest', () => {
  beforeEach(() => {
    vi.stubEnv('BELLOWS_COMMAND', undefined);
    out = printed();
    aside = warned();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it.each([
    ['--mode', ['--mode', 'https']],
    ['--command', ['--command', 'forge']],
    ['--command', ['--command', '/Forge me']],
    ['--command', ['--command', '']],
    ['--command', ['--command', `/${'f'.repeat(60)}`]],
    ['--url', ['--mode', 'http', '--url', 'bellows.test']],
    ['--url', ['--mode', 'http', '--url', 'ftp://x']],
    ['--url', ['--mode', 'http', '--url', 'http://bellows.test']],
    ['--url', ['--mode', 'http', '--url', 'https://bellows.test/slack/events']],
    ['--url', ['--mode', 'http', '--url', 'https://bellows.test/?a=b']],
    ['--url', ['--url', 'https://bellows.test']],
    ['--forge-host', ['--forge-host', '']],
    ['--forge-host', ['--forge-host', 'my forge']],
    ['--forge-host', ['--forge-host', 'localhost']],
    ['--forge-host', ['--forge-host', '[::1]:3000']],
  ])('refuses a wrong %s: %j', async (name, args) => {
    await expect(run(args)).rejects.toMatchObject({ problems: [expect.stringMatching(new RegExp(`^${name}: `))] });
    expect(out).not.toHaveBeenCalled();
  });

  it('names everything that is wrong at once', async () => {
    const wrong = run(['--command', 'forge', '--mode', 'fax', '--forge-host', '']);
    await expect(wrong).rejects.toMatchObject({ problems: { length: 3 } });
  });

  it.each(['git.example.org', 'Git.Example.org', 'git.example.org:3000', 'https://Git.Example.org:3000/'])(
    'takes %s for the host of the forge, as Slack wants it',
    async (given) => {
      await run(['--forge-host', given]);
      expect(manifest().features.unfurl_domains).toEqual(['git.example.org']);
    },
  );

  it.each(['https://bellows.test', 'https://Bellows.test/'])('sends Slack to %s', async (url) => {
    await run([...http, '--url', url]);
    expect(manifest().settings.interactivity.request_url).toBe('https://bellows.test/slack/events');
    expect(aside).not.toHaveBeenCalled();
  });

  it('says which placeholders replace missing values', async () => {
    await run(['--mode', 'http']);
    const said = aside.mock.calls.flat().join('\n');
    expect(said).toMatch(/--url, .*bellows\.example\.org[\s\S]*--forge-host, .*git\.example\.org/);
  });

  it('uses BELLOWS_COMMAND unless another command is given', async () => {
    const commands = () => manifest().features.slash_commands.map(({ command }: { command: string }) => command);
    vi.stubEnv('BELLOWS_COMMAND', '/git');
    await run(host);
    expect(commands()).toEqual(['/git']);
    await run([...host, '--command', '/code']);
    expect(commands()).toEqual(['/code']);
    vi.stubEnv('BELLOWS_COMMAND', 'git');
    await expect(run(host)).rejects.toMatchObject({ problems: [expect.stringContaining('BELLOWS_COMMAND: ')] });
  });
});

describe.concurrent('a subcommand', () => {
  it.each([
    [['manifest', '--oops'], "bellows: unknown option '--oops'"],
    [['manifest', '--command', 'forge'], '--command: must be a slash'],
    [['docter'], '(Did you mean doctor?)'],
    [['audit', 'verfy'], '(Did you mean verify?)'],
    [['audit'], 'verify'],
    [['subscriptions', 'plan'], "missing required argument 'file'"],
    [['constructor'], "bellows: unknown command 'constructor'"],
  ])('typed wrongly gets a sentence and exit code 2: %j', async (args, words) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

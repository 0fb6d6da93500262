import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cliHere, type Ran } from '../support/cli.js';
import { program } from '../support/program.js';

let forge: SandboxForge;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.close());

const settings = () => ({ FORGE_URL: forge.url, BELLOWS_PUBLIC_URL: 'https://bellows.example.org/' });

/** With a token on standard input, where no process list shows it. */
function register(token: string): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '', ...settings() };
  return new Promise((resolve) => {
    const ran = execFile(
      process.execPath,
      [...program(), 'oauth-app', '--register'],
      { env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    ran.stdin?.end(token);
  });
}

describe('bellows oauth-app', () => {
  it('prints what to register', async () => {
    const { code, stdout } = await cliHere(settings(), 'oauth-app');
    expect(code).toBe(0);
    expect(stdout).toContain('https://bellows.example.org/oauth/callback');
    expect(stdout).toContain('write:repository write:issue');
    expect(stdout).toContain('Admins also: write:admin');
  });

  it('names what is missing', async () => {
    await expect(cliHere({}, 'oauth-app')).rejects.toMatchObject({
      exitCode: 1,
      problems: [expect.stringContaining('FORGE_URL: missing'), expect.stringContaining('BELLOWS_PUBLIC_URL: missing')],
    });
  });

  it('registers it with a token, and says what to set', async () => {
    const { code, stdout } = await register(forge.account('ada').token(['write:user']));
    const [app] = [...forge.world.state.oauth.apps.values()];
    expect(code).toBe(0);
    expect(app).toMatchObject({ confidential: true, redirectUris: ['https://bellows.example.org/oauth/callback'] });
    expect(stdout).toBe(`FORGE_OAUTH_CLIENT_ID=${app?.clientId}\nFORGE_OAUTH_CLIENT_SECRET=${app?.secret}\n`);
  });

  it('does not repeat a token that the forge refuses', async () => {
    const input = vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Readable.from(['nonsense']) as typeof process.stdin);
    const refused = await cliHere(settings(), 'oauth-app', '--register').catch((error: unknown) => error);
    input.mockRestore();
    expect(refused).toBeInstanceOf(Error);
    expect(String(refused)).not.toContain('nonsense');
  });
});

import { text } from 'node:stream/consumers';
import { wantedScopes } from '../chat/scopes.js';
import { callbackUrl, certificates, readEnvironment } from '../config.js';
import { ConfigError, UserError } from '../errors.js';
import { createForge, type ForgeOptions } from '../forge/index.js';
import { normalizeForgeUrl } from '../forge/url.js';

const name = 'Bellows';

/** Shows what to register at the forge, or registers it; the secret is only printed. */
export async function run(options: { readonly register?: boolean; readonly public?: boolean }): Promise<number> {
  const { forge, redirect } = settings(process.env);
  const confidential = !options.public;
  if (!options.register) {
    console.log(instructions(forge.webUrl ?? normalizeForgeUrl(forge.url), redirect, confidential));
    return 0;
  }
  const token = (await text(process.stdin)).trim();
  if (token === '') throw new UserError('Pass an access token with write:user on standard input.');
  const client = createForge(forge);
  try {
    const body = { name, redirect_uris: [redirect], confidential_client: confidential };
    const made = await client.as({ kind: 'token', token }).users.createOAuthApp({ body });
    console.log(`FORGE_OAUTH_CLIENT_ID=${made.client_id}`);
    if (confidential) console.log(`FORGE_OAUTH_CLIENT_SECRET=${made.client_secret}`);
    return 0;
  } finally {
    await client.close();
  }
}

function settings(env: NodeJS.ProcessEnv): { readonly forge: ForgeOptions; readonly redirect: string } {
  const { FORGE_URL: url, FORGE_WEB_URL: webUrl, FORGE_PROXY: proxy, ...read } = readEnvironment(env);
  const missing = [
    ...(url === undefined ? ['FORGE_URL: missing; set it to the address of your forge as shown in the browser'] : []),
    ...(read.BELLOWS_PUBLIC_URL === undefined
      ? ['BELLOWS_PUBLIC_URL: missing; set it to the address at which browsers reach Bellows']
      : []),
  ];
  if (url === undefined || read.BELLOWS_PUBLIC_URL === undefined) throw new ConfigError(missing);
  const ca = read.FORGE_CA_FILE === undefined ? undefined : certificates(read.FORGE_CA_FILE);
  return { forge: { url, webUrl, proxy, ca }, redirect: callbackUrl(read.BELLOWS_PUBLIC_URL) };
}

const instructions = (web: string, redirect: string, confidential: boolean): string =>
  [
    `Register an OAuth2 application on ${web}/user/settings/applications`,
    '(or, as a site admin, under Site administration, Integrations, Applications):',
    '',
    `  Application name     ${name}`,
    `  Redirect URIs        ${redirect}`,
    `  Confidential client  ${confidential ? 'yes' : 'no'}`,
    '',
    'People who sign in are asked for these scopes. You do not need to enter them:',
    `  ${wantedScopes('everyone').join(' ')}`,
    `  Admins also: ${wantedScopes('admin')
      .filter((scope) => !wantedScopes('everyone').includes(scope))
      .join(' ')}`,
    '',
    `Then set FORGE_OAUTH_CLIENT_ID${confidential ? ' and FORGE_OAUTH_CLIENT_SECRET' : ''}, and run bellows doctor.`,
  ].join('\n');

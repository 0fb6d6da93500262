import { commands } from '../../commands/index.js';
import { type Config, oauthOf } from '../../config.js';
import { type Api, ApiError, createForge, type Forge, operationNames, serverName } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import { lackedScopes } from '../../forge/scopes.js';
import { lookAtDeployments } from './deployments.js';
import type { Notebook } from './finding.js';
import { lookAtSignIn } from './sign-in.js';

/** The scopes the service account needs; it never writes. */
const serviceScopes = ['read:repository', 'read:issue', 'read:user', 'read:organization'] as const;

export async function lookAtForge(config: Config, found: Notebook): Promise<void> {
  const { url, webUrl, ca, proxy, token } = config.forge;
  const forge = createForge({ url, webUrl, ca, proxy, oauth: oauthOf(config), retry: { attempts: 1 } });
  try {
    const service = forge.as({ kind: 'token', token });
    const sample = await firstRepository(service);
    if (sample === 'refused') {
      return found.failure('token: the forge rejected FORGE_TOKEN', `Create a token with ${serviceScopes.join(', ')}.`);
    }
    if (sample === 'absent') {
      return found.failure(
        'connected, but there is no Gitea or Forgejo API at this address',
        'Set FORGE_URL to the address of the forge’s start page, such as https://git.example.org.',
      );
    }
    const server = await forge.capabilities.server();
    const version = server.version ?? 'version unknown';
    found.ok(`connected: ${server.product} ${version}, links start with ${forge.web}`);
    await lookAtToken(service, forge, found);
    await lookAtOperations(forge, found);
    lookAtLinks(sample?.html_url, forge, found);
    lookAtHook(config, found);
    await lookAtSignIn(config, forge, found);
    await lookAtDeployments(config, service, forge, found);
  } finally {
    await forge.close();
  }
}

/** The first request: it shows whether the forge answers and accepts the token. */
async function firstRepository(service: Api): Promise<{ html_url: string } | undefined | 'refused' | 'absent'> {
  try {
    const { items } = await service.repos.search({ query: { limit: 1 } });
    return items[0];
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') return 'refused';
    // another web server answers with a 404 or with its own page
    if (error instanceof ApiError && (error.kind === 'notFound' || error.status === 200)) return 'absent';
    throw error;
  }
}

async function lookAtToken(service: Api, forge: Forge, found: Notebook): Promise<void> {
  try {
    const me = await service.users.me();
    found.ok(`service account: ${me.login}`);
    if (me.is_admin) {
      found.warning(
        `service account: ${me.login} is a forge admin, but it only needs to read`,
        'Use a regular account that can read the repositories you want updates from.',
      );
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.unsupported) found.note('service account: this server does not report whose token it is');
    else found.warning(`service account: unknown (${error.message})`, 'The token needs read:user.');
  }
  await lookAtScopes(service, forge, found);
}

async function lookAtScopes(service: Api, forge: Forge, found: Notebook): Promise<void> {
  const held = (await forge.capabilities.has('users.currentToken')) ? await scopesOf(service) : undefined;
  if (held === undefined) {
    found.note('token scopes: this server does not report them', `They should be ${serviceScopes.join(', ')}.`);
    return;
  }
  const lacking = lackedScopes(serviceScopes, { scopes: held, closed: [] });
  if (lacking.length > 0) {
    found.failure(
      `token scopes: missing ${lacking.join(', ')}`,
      'Create a token that includes them and set FORGE_TOKEN.',
    );
  } else {
    found.ok(`token scopes: ${held.join(', ')}`);
  }
  const writes = held.filter((scope) => scope === 'all' || scope.startsWith('write:'));
  if (writes.length > 0) {
    found.warning(
      `token scopes: ${writes.join(', ')} can write, but read access is enough`,
      'Create a read-only token.',
    );
  }
}

const scopesOf = async (service: Api): Promise<readonly string[] | undefined> =>
  (await ifAnswered(service.users.currentToken()))?.scopes;

/** One row per command that is not offered, then what only makes answers poorer. */
async function lookAtOperations(forge: Forge, found: Notebook): Promise<void> {
  const known = await Promise.all(operationNames.map((name) => forge.capabilities.has(name)));
  const lacking = operationNames.filter((_, at) => !known[at]);
  if (lacking.length === 0)
    return found.ok(`operations: the server has all ${operationNames.length}, or does not list them`);
  const rows: [what: string, words: string][] = [];
  const needed = new Set<string>();
  for (const { name, needs = [] } of commands) {
    const missing = needs.find((operation) => lacking.includes(operation));
    if (!missing) continue;
    for (const operation of needs) needed.add(operation);
    rows.push([name, await forge.capabilities.remedy(missing)]);
  }
  const offered = rows.length;
  for (const operation of lacking)
    if (!needed.has(operation)) rows.push([operation, await forge.capabilities.remedy(operation)]);
  const here = serverName(await forge.capabilities.server());
  found.note(
    `operations: ${here} lacks ${lacking.length} of ${operationNames.length}`,
    offered === 0
      ? 'Every command still works; some answers show less.'
      : `${offered} of ${commands.length} commands are not offered here.`,
    rows,
  );
}

/** Links and pasted addresses are recognized by host, so it must be the one people see. */
function lookAtLinks(address: string | undefined, forge: Forge, found: Notebook): void {
  const shown = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  const ours = new URL(forge.web).host;
  if (!shown) {
    found.warning('repositories: the service account cannot see any', 'Give it access to those you want updates from.');
  } else if (shown.host === ours) {
    found.ok('links: the forge and Bellows use the same address');
  } else {
    found.warning(
      `links: the forge uses ${shown.host}, Bellows uses ${ours}`,
      `Set FORGE_WEB_URL to the address people use, probably ${shown.origin}.`,
    );
  }
}

function lookAtHook({ forge, publicUrl }: Config, found: Notebook): void {
  if (forge.webhookSecret !== undefined && publicUrl === undefined) {
    found.note(
      'webhook: FORGE_WEBHOOK_SECRET is set, but BELLOWS_PUBLIC_URL is not',
      'Set it so that hook create --wake can register the webhook.',
    );
  }
}

import { type Credential, createForge, type Forge } from '../../../src/forge/index.js';
import { groundOf } from './ground.js';
import { givePeople, personOf } from './people.js';
import type { ContractServer } from './server.js';

export interface OpenServer extends ContractServer {
  readonly forge: Forge;
  close(): Promise<void>;
}

/** Any forge with a site admin, ready for the suite. */
export async function openServer(url: string, login: string, admin: Credential): Promise<OpenServer> {
  const forge = createForge({ url, timeouts: { headers: 60_000 } });
  const { org, people } = await givePeople(forge, url, personOf(forge, url, login, admin));
  const { product, version } = await forge.capabilities.server();
  return {
    url,
    forge,
    org,
    people,
    version: version ?? 'unknown',
    product,
    ground: groundOf(url, people),
    has: (name) => forge.capabilities.has(name),
    close: () => forge.close(),
  };
}

import { onServers } from '../../support/servers.js';
import { contractOnSandbox } from './on-sandbox.js';

// 15 has nothing that neither of the others has
onServers(['forgejo-11', 'forgejo-15', 'forgejo-16'], ['forgejo-11', 'forgejo-16']).forEach(contractOnSandbox);

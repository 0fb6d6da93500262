import { onServers } from '../support/servers.js';
import { walkOn } from './walk.js';

onServers(['forgejo-11', 'forgejo-15', 'forgejo-16'], ['forgejo-15']).forEach(walkOn);

import { command } from '../../chat/command.js';
import { sshKey, text } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { firstOf, isNew } from '../find.js';
import { addedMessage, fingerprintOf } from './list.js';

export const keyAddMine = command({
  name: 'key add-mine',
  title: 'Add SSH key',
  summary: 'Add an SSH key to your account',
  examples: [
    'key add-mine laptop ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2X5k2mWq0nXbqzqk7lV2T6hQ0m8uY0c9w1u3Zr5p7a ada@laptop',
  ],
  fields: { title: text({ label: 'Title', placeholder: 'title' }), key: sshKey() },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  notForAgents: 'It gives lasting access to the account of the person it acts for.',
  operations: ['keys.addMine', 'keys.listMine'],
  plan: ({ title, key }) => [request('keys.addMine', { body: { title, key } })],
  run: ({ title, key }, { api }) => api.keys.addMine({ body: { title, key } }),
  findDone: ({ key }, { api }, sent) => {
    const fingerprint = fingerprintOf(key);
    return firstOf(
      api.keys.listMine.each({}, { max: 500 }),
      (each) => each.fingerprint === fingerprint && isNew(each.created_at, sent),
    );
  },
  reply: (key, _args, context) => addedMessage(key, undefined, context),
});

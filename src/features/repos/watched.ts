import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { offset, optional, person, readFrom } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { code, md } from '../../view/text.js';
import { repositoryList } from './lookup.js';

export const repoWatched = command({
  name: 'repo watched',
  title: 'List watched',
  summary: 'List watched repositories',
  examples: ['repo watched', 'repo watched grace'],
  fields: {
    person: optional(person({ hint: 'Leave empty for yourself. Private repositories are only shown for yourself.' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.listWatched'],
  plan: ({ person }, { login }) => [request('repos.listWatched', { username: person ?? login })],
  run: ({ person, from }, { api, login }) =>
    readFrom(from ?? 0, (query) => api.repos.listWatched({ username: person ?? login, query })),
  reply: (found, { person }, context) => {
    const username = person ?? context.login;
    const args = { person: { login: username } };
    return repositoryList(
      found,
      md`${code(username)} is not watching any repositories you can see.`,
      (from) => turnButton({ text: 'Show more', command: 'repo watched', args: { ...args, from } }),
      context,
    );
  },
});

import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { date, flag, optional, person, toggle } from '../../chat/fields/index.js';
import { offset, readFrom } from '../../chat/fields/offset.js';
import { request } from '../../chat/request.js';
import { feedMessage } from '../../domain/activity/list.js';
import { bold, md } from '../../view/text.js';

interface Wanted {
  readonly person?: string | undefined;
  readonly date?: string | undefined;
  readonly own?: boolean | undefined;
}

const inputOf = ({ person, date, own }: Wanted, login: string) => ({
  username: person ?? login,
  query: { date, 'only-performed-by': own || undefined },
});

export const feedUser = command({
  name: 'feed user',
  title: 'Show activity of person',
  summary: 'Show recent activity of a person',
  examples: ['feed user', 'feed user grace --own --date mon'],
  fields: {
    person: optional(person({ hint: 'Leave empty for yourself. Organizations work too.' })),
    date: flag(date({ label: 'Day', hint: 'In the forge’s time zone.', past: true })),
    own: toggle({ label: 'Own activity', text: 'Only their own activity' }),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['activity.userFeed'],
  plan: (args, { login }) => [request('activity.userFeed', inputOf(args, login))],
  run(args, { api, login }) {
    const { username, query } = inputOf(args, login);
    return readFrom(args.from ?? 0, (paging) => api.activity.userFeed({ username, query: { ...query, ...paging } }));
  },
  reply: (found, { date, own, person }, context) => {
    const login = person ?? context.login;
    const args = { person: { login }, date, own };
    const more = (from: number) => turnButton({ text: 'Show more', command: 'feed user', args: { ...args, from } });
    return feedMessage(md`Activity of ${bold(login)}`, found, more, context);
  },
});

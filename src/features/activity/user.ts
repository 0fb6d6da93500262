import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { date, flag, offset, optional, person, readFrom, toggle } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import type { Activity } from '../../forge/schemas.js';
import type { Stretch } from '../../view/paging.js';
import { bold, md } from '../../view/text.js';
import { orNoPerson } from '../find.js';
import { feedMessage } from './list.js';

interface Read {
  readonly found: Stretch<Activity>;
  readonly own: boolean;
}

interface ActivityQuery {
  readonly person?: string | undefined;
  readonly date?: string | undefined;
  readonly own?: boolean | undefined;
}

const inputOf = ({ person, date, own = true }: ActivityQuery, login: string) => ({
  username: person ?? login,
  query: { date, 'only-performed-by': own || undefined },
});

/** An organization does nothing itself: unless only own activity was asked for, the rest is shown then. */
async function readActivity(
  args: ActivityQuery & { readonly from?: number | undefined },
  { api, login }: Pick<Context, 'api' | 'login'>,
): Promise<Read> {
  const { username, query } = inputOf(args, login);
  const reading = readFrom(args.from ?? 0, (paging) =>
    api.activity.userFeed({ username, query: { ...query, ...paging } }),
  );
  const found = await orNoPerson(username, 'activity.userFeed', 'person', reading);
  if (args.own !== undefined || found.items.length > 0) return { found, own: args.own ?? true };
  return readActivity({ ...args, own: false }, { api, login });
}

export const feedUser = command({
  name: 'feed user',
  title: 'Show activity of person',
  summary: 'Show recent activity of a person',
  examples: ['feed user', 'feed user grace --date mon', 'feed user acme --no-own'],
  fields: {
    person: optional(person({ hint: 'Leave empty for yourself. Organizations work too.' })),
    date: flag(date({ label: 'Day', hint: 'In the forge’s time zone.', past: true })),
    own: toggle({ label: 'Own activity', text: 'Only what they did themselves' }),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['activity.userFeed'],
  plan: (args, { login }) => [request('activity.userFeed', inputOf(args, login))],
  run: readActivity,
  reply: ({ found, own }, { date, person }, context) => {
    const login = person ?? context.login;
    const args = { person: { login }, date, own };
    const more = (from: number) => turnButton({ text: 'Show more', command: 'feed user', args: { ...args, from } });
    const around = own ? md`` : md` and in watched repositories`;
    return feedMessage(md`Activity of ${bold(login)}${around}`, found, more, context);
  },
});

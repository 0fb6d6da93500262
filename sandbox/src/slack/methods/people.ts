import type { User } from '../model.js';
import { SlackError } from '../slack-error.js';
import type { Token } from '../tokens.js';
import { groupWire, userWire } from '../wire.js';
import type { Method } from './method.js';
import { nextCursor, page } from './paging.js';

const shown = (user: User, token: Token) => userWire(user, token.scopes.includes('users:read.email'));

export const people: Record<string, Method> = {
  'users.info': {
    tier: 'four',
    scope: 'users:read',
    run: ({ core, args, token }) => {
      const user = core.space.users.get(args.required('user', 'user_not_found'));
      if (user === undefined) throw new SlackError('user_not_found');
      return { user: shown(user, token) };
    },
  },
  'users.list': {
    tier: 'two',
    scope: 'users:read',
    run: ({ core, args, token }) => {
      const local = [...core.space.users.values()].filter((user) => user.teamId === core.space.team.id);
      const { items, next } = page(local, args, 1000, 1000);
      return { members: items.map((user) => shown(user, token)), cache_ts: 0, ...nextCursor(next) };
    },
  },
  'users.lookupByEmail': {
    tier: 'three',
    scope: 'users:read.email',
    run: ({ core, args, token }) => {
      const email = args.required('email', 'users_not_found').toLowerCase();
      const user = [...core.space.users.values()].find(
        (each) => each.email?.toLowerCase() === email && !each.deleted && each.teamId === core.space.team.id,
      );
      if (user === undefined) throw new SlackError('users_not_found');
      return { user: shown(user, token) };
    },
  },
  'dnd.info': {
    tier: 'three',
    scope: 'dnd:read',
    run: ({ core, args }) => {
      const user = core.space.users.get(args.required('user', 'user_not_found'));
      if (user === undefined) throw new SlackError('user_not_found');
      // whether a person snoozes is told to that person alone; without a schedule both times are 1
      const { start, end } = user.dnd ?? { start: 1, end: 1 };
      return { dnd_enabled: user.dnd !== undefined, next_dnd_start_ts: start, next_dnd_end_ts: end };
    },
  },
  'usergroups.list': {
    tier: 'two',
    scope: 'usergroups:read',
    run: ({ core, args }) => ({
      usergroups: [...core.space.userGroups.values()].map((group) =>
        groupWire(group, core.space, args.flag('include_users')),
      ),
    }),
  },
  'usergroups.users.list': {
    tier: 'two',
    scope: 'usergroups:read',
    run: ({ core, args }) => {
      const group = core.space.userGroups.get(args.required('usergroup', 'no_such_subteam'));
      if (group === undefined) throw new SlackError('no_such_subteam');
      return { users: group.users };
    },
  },
};

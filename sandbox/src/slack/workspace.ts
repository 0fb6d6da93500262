import type { Changes } from './changes.js';
import type { Ids } from './ids.js';
import type { Channel, Message, Team, User, UserGroup } from './model.js';
import { defaultSeed, type Seed, type SeedChannel, type SeedUser } from './settings.js';
import { Timeline } from './timeline.js';
import { Views } from './views.js';

/** These names count hours west of UTC. */
const zoneAt = (hours: number): string =>
  hours === 0 ? 'Etc/UTC' : `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`;

/** The whole team: people, channels, messages, open forms. */
export class Workspace {
  readonly team: Team;
  readonly bot: User;
  readonly botId = 'B0BELLOWS1';
  readonly appId = 'A0BELLOWS1';
  readonly users = new Map<string, User>();
  readonly channels = new Map<string, Channel>();
  readonly userGroups = new Map<string, UserGroup>();
  readonly timeline: Timeline;
  readonly views: Views;
  readonly #ids: Ids;
  readonly #changes: Changes;
  readonly #now: () => number;

  constructor(seed: Seed, ids: Ids, changes: Changes, now: () => number) {
    this.#ids = ids;
    this.#changes = changes;
    this.#now = now;
    this.team = { id: 'T0BELLOWS1', name: 'Bellows Sandbox', domain: 'bellows-sandbox', ...seed.team };
    this.timeline = new Timeline(ids, changes, now);
    this.views = new Views(ids, changes);
    this.bot = this.addUser({ id: 'U0BELLOWS1', name: 'bellows', realName: 'Bellows', isBot: true });
    for (const user of seed.users ?? defaultSeed.users) this.addUser(user);
    for (const channel of seed.channels ?? defaultSeed.channels) this.addChannel(channel);
    for (const group of seed.userGroups ?? []) this.userGroups.set(group.id, { name: group.handle, ...group });
  }

  addUser(seed: SeedUser): User {
    const user: User = {
      id: seed.id,
      teamId: seed.teamId ?? this.team.id,
      name: seed.name,
      realName: seed.realName ?? seed.name,
      status: seed.status ?? { emoji: '', text: '' },
      dnd: seed.dnd,
      tz: zoneAt((seed.tzOffset ?? 0) / 3_600),
      tzOffset: seed.tzOffset ?? 0,
      email: seed.email,
      deleted: seed.deleted ?? false,
      isBot: seed.isBot ?? false,
      guest: seed.guest ?? false,
    };
    this.users.set(user.id, user);
    this.#changes.tell({ kind: 'user', user: user.id });
    return user;
  }

  addChannel(seed: SeedChannel): Channel {
    const local = [...this.users.values()].filter(
      (user) => user.teamId === this.team.id && !user.isBot && !user.deleted,
    );
    const members = seed.members?.map((member) => this.user(member).id) ?? local.map((user) => user.id);
    const channel: Channel = {
      id: seed.id,
      name: seed.name,
      kind: seed.kind ?? 'public',
      sharedWith: seed.sharedWith ?? [],
      archived: seed.archived ?? false,
      members: new Set((seed.bot ?? true) ? [...members, this.bot.id] : members),
      created: Math.floor(this.#now() / 1000),
    };
    this.channels.set(channel.id, channel);
    this.#changes.tell({ kind: 'channel', channel: channel.id });
    return channel;
  }

  /** By id or by name, for tests. */
  user(idOrName: string): User {
    const found = this.users.get(idOrName) ?? [...this.users.values()].find((user) => user.name === idOrName);
    if (found === undefined) throw new Error(`The sandbox has no person ${idOrName}.`);
    return found;
  }

  channel(idOrName: string): Channel {
    const name = idOrName.replace(/^#/, '');
    const found = this.channels.get(name) ?? [...this.channels.values()].find((channel) => channel.name === name);
    if (found === undefined) throw new Error(`The sandbox has no channel ${idOrName}.`);
    return found;
  }

  /** The direct conversation of exactly these people, created if new. */
  direct(userIds: readonly string[]): Channel {
    const people = [...new Set(userIds)];
    const found = [...this.channels.values()].find(
      ({ kind, members }) =>
        (kind === 'im' || kind === 'mpim') && members.size === people.length && people.every((id) => members.has(id)),
    );
    if (found !== undefined) return found;
    const kind = people.length > 2 ? 'mpim' : 'im';
    const id = this.#ids.next(kind === 'im' ? 'D' : 'G');
    const bot = people.includes(this.bot.id);
    return this.addChannel({ id, name: id.toLowerCase(), kind, members: people, bot });
  }

  dm(idOrName: string): Channel {
    return this.direct([this.user(idOrName).id, this.bot.id]);
  }

  messages(channel: string): Message[] {
    return this.timeline.in(this.channel(channel).id);
  }

  thread(channel: string, ts: string): Message[] {
    return this.messages(channel).filter((message) => message.ts === ts || message.threadTs === ts);
  }

  ephemerals(user: string, channel?: string): Message[] {
    const where = channel === undefined ? undefined : this.channel(channel).id;
    return this.timeline.onlyFor(this.user(user).id).filter(({ channel: id }) => where === undefined || id === where);
  }
}

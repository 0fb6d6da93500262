import { z } from 'zod';
import type { DoorDeps } from '../door-deps.js';
import { Changed, Written } from './written.js';

const id = z.string().min(1).max(64);

/** The events Bellows listens to; the manifest lists exactly these. */
export const eventShapes = {
  app_mention: Written,
  message: Changed,
  app_home_opened: z.object({
    user: id,
    tab: z.string().optional(),
    view: z.object({ hash: z.string().max(100).optional() }).optional(),
  }),
  link_shared: z.object({
    channel: id,
    user: id,
    message_ts: z.string().max(64),
    unfurl_id: z.string().max(200).optional(),
    source: z.string().max(40).optional(),
    links: z.array(z.object({ url: z.string().max(3_000) })).max(50),
  }),
  entity_details_requested: z.object({
    user: id,
    trigger_id: z.string().max(200),
    entity_url: z.string().max(3_000),
  }),
  user_change: z.object({ user: z.object({ id, deleted: z.boolean().default(false) }) }),
  channel_archive: z.object({ channel: id }),
  channel_unarchive: z.object({ channel: id }),
  channel_shared: z.object({ channel: id }),
  channel_unshared: z.object({ channel: id }),
  channel_rename: z.object({ channel: z.object({ id }) }),
  group_archive: z.object({ channel: id }),
  group_unarchive: z.object({ channel: id }),
  member_joined_channel: z.object({ channel: id, user: id }),
  member_left_channel: z.object({ channel: id, user: id }),
} as const;

type Shapes = typeof eventShapes;
export type EventName = keyof Shapes;
export type EventHandlers = { readonly [Name in EventName]?: (event: z.output<Shapes[Name]>) => Promise<void> };

const text = z.string().optional().catch(undefined);
const Author = z.object({ user: text, team: text, source_team: text, user_team: text });
const inner = Author.optional().catch(undefined);
const Origin = Author.extend({ message: inner, previous_message: inner });

const seenMost = 5_000;

/** Slack may deliver an event again: the id decides. Unknown events are dropped. */
export function createEvents(deps: DoorDeps, handlers: EventHandlers) {
  const seen = new Set<string>();
  const isEvent = (type: unknown): type is EventName => typeof type === 'string' && Object.hasOwn(eventShapes, type);

  async function handle<Name extends EventName>(name: Name, event: unknown): Promise<void> {
    const read = eventShapes[name].safeParse(event);
    if (!read.success) return deps.services.log.warn({ event: name }, 'refused an event of unknown shape');
    // The schema has the same name as its handler.
    await handlers[name]?.(read.data as z.output<Shapes[Name]>);
  }

  /** Slack Connect brings in what people of other workspaces write; in a shared channel Slack is asked who belongs here. */
  async function isForeign(event: unknown, isShared: boolean | undefined): Promise<boolean> {
    const { message, previous_message, ...whole } = Origin.parse(event);
    const parts = [whole, message ?? {}, previous_message ?? {}];
    const teams = parts.flatMap(({ team, source_team, user_team }) => [team, source_team, user_team]);
    if (teams.some((team) => team !== undefined && team !== deps.team)) return true;
    if (isShared === false) return false;
    const users = new Set(parts.flatMap(({ user }) => user ?? []));
    const known = await Promise.all([...users].map((user) => deps.services.slack.user(user)));
    return known.some((user) => !user?.ours);
  }

  return async (
    event: Readonly<Record<string, unknown>>,
    eventId: string,
    isShared: boolean | undefined,
  ): Promise<void> => {
    if (!isEvent(event['type']) || seen.has(eventId)) return;
    seen.add(eventId);
    const [oldest] = seen;
    if (seen.size > seenMost && oldest !== undefined) seen.delete(oldest);
    try {
      if (!(await isForeign(event, isShared))) await handle(event['type'], event);
    } catch (error) {
      // a failed event may be delivered again
      seen.delete(eventId);
      throw error;
    }
  };
}

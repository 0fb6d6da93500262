import { frame, some } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { join, type Mrkdwn, md } from '../../view/text.js';
import type { Event } from '../event.js';
import type { Style } from '../filter.js';
import type { ItemState } from '../item.js';
import type { Kind } from '../kind.js';
import { type DrawPorts, plainPorts } from '../ports.js';
import { type Standing, stand, standingWord } from '../standing.js';
import { code } from './code.js';
import { items } from './items.js';
import { others } from './others.js';
import { openRuns } from './run-open.js';
import { runs } from './runs.js';
import { talk } from './talk.js';
import { type Renderer, type Scene, sceneOf, type Telling } from './telling.js';

/** One renderer per kind; a kind without one does not compile. */
const renderers = { ...items, ...talk, ...code, ...runs, ...openRuns, ...others } satisfies {
  readonly [K in Kind]: Renderer<K>;
};

function tell(event: Event, scene: Scene): Telling {
  // the list above ties every renderer to its kind, which the compiler cannot follow through a lookup
  return (renderers[event.kind] as Renderer<Kind>)(event, scene);
}

export interface Drawing {
  readonly event: Event;
  readonly style: Style;
  /** The current state; if absent, only this event is known. */
  readonly standing?: Standing | undefined;
  /** In its item's thread, the title, the repository and the state are already visible. */
  readonly reply?: boolean;
  /** Teams whose review was requested since the card was last drawn. */
  readonly asked?: readonly string[];
}

/** An event as a message. The same text makes the channel's card, which is redrawn as its state changes. */
export function draw(
  { event, style, standing = stand(undefined, event, undefined), reply = false, asked = [] }: Drawing,
  ports: DrawPorts,
): Message {
  const scene = sceneOf(event, standing, ports);
  const { says, subject, facts, notes = [] } = tell(event, scene);
  const look = { now: ports.now, says, style, notes };
  if (reply) {
    const called = asked.length > 0 ? [md`Review requested from ${some(asked.map((team) => scene.team(team)))}`] : [];
    const below = tell(event, sceneOf(event, standing, ports, true));
    const noted = { ...look, style: 'card' as const, notes: [...(below.notes ?? []), ...called] };
    const blocks = frame({ subject: below.subject }, noted);
    return message({ text: join([says, subject], ' '), blocks });
  }
  const state = standingWord(event, standing);
  if (style === 'line') {
    const line = join([state && emoji(state), says], ' ');
    return message({
      text: join([line, subject], ' '),
      blocks: frame({ subject, facts: [facts[0]] }, { ...look, says: line }),
    });
  }
  const controls = ports.actions(event, standing);
  return message({
    text: join([says, subject], ' '),
    blocks: frame({ subject, facts, ...(state && { state }) }, { ...look, ...controls }),
  });
}

const emoji = (state: string): string => state.split(' ', 1)[0] ?? '';

/** One line for digests. */
export function lineOf(event: Event, item: ItemState | undefined, ports: DrawPorts): Mrkdwn {
  const quiet = plainPorts(ports.now);
  const { says, subject } = tell(event, sceneOf(event, stand(undefined, event, item), quiet));
  return join([says, subject], ' ');
}

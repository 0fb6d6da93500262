import type { Lease, OutboxEntry, OutboxView, Place, Store, Trouble } from '../../store/index.js';

/** A view of an outbox by the holder of its lease. */
export interface Turn {
  readonly place: Place;
  readonly token: Lease;
  readonly view: OutboxView;
  /** Something here stopped a worker: no digests, so that it shows which. */
  readonly alone?: boolean;
}

/** The entries of the post that was begun. */
export const begunIn = ({ intent, entries }: OutboxView): readonly OutboxEntry[] =>
  intent ? entries.filter(({ id }) => intent.entries.includes(id)) : [];

/** The post that was begun may be there, and nobody may look: its entries say so from now on. */
export function doubted({ view, ...turn }: Turn): Turn {
  const begun = new Set(begunIn(view));
  const entries = view.entries.map((entry) => (begun.has(entry) ? { ...entry, unsure: true as const } : entry));
  return { ...turn, view: { ...view, entries } };
}

/** How often Slack refused the message that starts with this entry. */
export const troubleOf = ({ trouble }: OutboxView, first: string | undefined): Trouble | undefined =>
  trouble?.id === first ? trouble : undefined;

/** The post that was begun is not resumed: its entries wait for another try. */
export const again = ({ outbox }: Store, { place, token, view }: Turn, id: string, at?: number): Promise<boolean> =>
  outbox.again(place, token, id, { at, posted: begunIn(view).filter(({ unsure }) => unsure) });

import type { Context } from '../chat/context.js';
import { type House, openSession } from '../chat/session.js';
import type { Account, Person } from '../store/index.js';

/** A session to look only: whatever would change something is stopped before it is sent. */
export function looking(house: House, person: Person, account: Account | undefined): Promise<Context> {
  return openSession(house, {
    person,
    channel: undefined,
    account,
    beforeWrite: async () => {
      throw new Error('looking must not write');
    },
    afterCall() {},
    progress: async () => {},
    offerUndo() {},
  });
}

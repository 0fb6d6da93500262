import { z } from 'zod';
import type { Request } from './request.js';
import type { Acted } from './runtime.js';

const Item = z.object({ owner: z.string(), repo: z.string(), index: z.int() });

const itemsIn = (values: readonly unknown[]): Acted[] =>
  values.flatMap((value) => {
    const read = Item.safeParse(value);
    return read.success ? [{ item: read.data }] : [];
  });

export const actedByArgs = (args: Readonly<Record<string, unknown>>): Acted[] => itemsIn(Object.values(args));

export const actedByRequests = (requests: readonly Request[]): Acted[] =>
  requests.flatMap(({ operation, input }) =>
    operation === 'notifications.markThread' ? [{ notification: z.int().parse(input['id']) }] : itemsIn([input]),
  );

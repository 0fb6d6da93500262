import { z } from 'zod';
import type { Delivery, EventDelivery } from '../../feed/delivery.js';
import type { OutboxEntry } from '../../store/index.js';

const AnyDelivery = z.looseObject({ type: z.enum(['event', 'update', 'message', 'reminder']) });

/** The outbox holds what fan-out wrote into it. */
export function bodyOf({ body }: OutboxEntry): Delivery {
  AnyDelivery.parse(body);
  return body as Delivery; // written by this same program; its type was just checked
}

/** A finished message: never part of a digest. */
export const isWhole = ({ type }: Delivery): boolean => type === 'message' || type === 'reminder';

export const isEvent = (body: Delivery): body is EventDelivery => body.type === 'event';

import { z } from 'zod';

/** 1-based page and its size; the client lowers `limit` to the server's maximum. */
export const paging = { page: z.int().min(1).optional(), limit: z.int().min(1).optional() };

export const Paging = z.strictObject(paging);

/** A moment, sent as RFC 3339. */
export const Moment = z
  .union([z.date(), z.iso.datetime({ offset: true })])
  .transform((moment) => (typeof moment === 'string' ? moment : moment.toISOString()));

/** A calendar day in the server's time zone. */
export const Day = z.iso.date();

export const Name = z.string().trim().min(1);
export const Title = z.string().trim().min(1).max(255);
export const RowId = z.int().min(1);
export const Color = z.string().regex(/^#[0-9a-fA-F]{6}$/, 'write # and six hex digits, like #00aabb');
export const Direction = z.enum(['asc', 'desc']);
export const StateFilter = z.enum(['open', 'closed', 'all']);

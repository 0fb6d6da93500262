import { z } from 'zod';
import { maybe } from './scalar.js';

export const ServerVersion = z.object({ version: z.string() });
export type ServerVersion = z.infer<typeof ServerVersion>;

export const ApiSettings = z.object({
  max_response_items: maybe(z.int().positive()),
  default_paging_num: maybe(z.int().positive()),
});
export type ApiSettings = z.infer<typeof ApiSettings>;

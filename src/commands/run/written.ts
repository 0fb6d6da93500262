import { z } from 'zod';
import { run } from '../../chat/fields/index.js';
import type { Needed } from '../../chat/fields/make.js';
import { isAddress, type RunRef, type WrittenRepository } from '../../chat/references.js';

/** By hand and as a number: not carried by a button, not pasted as an address, which hold the id for certain. */
interface ByHand {
  readonly byHand?: true | undefined;
}

export type WrittenRun = RunRef & ByHand;

/** A run, knowing whether its number was typed: the forge's pages show other numbers than the ids it takes. */
export function writtenRun(): Needed<WrittenRepository & { readonly run: number } & ByHand, WrittenRun> {
  const plain = run();
  return {
    ...plain,
    schema: z.intersection(plain.schema, z.object({ byHand: z.literal(true).optional() })),
    read: (text, reading) => {
      const found = plain.read(text, reading);
      return isAddress(text.trim()) ? found : { ...found, byHand: true };
    },
    resolve: async (value, context) => {
      const ref = await plain.resolve(value, context);
      return value?.byHand ? { ...ref, byHand: true } : ref;
    },
  };
}

export const exactly = ({ owner, repo, run }: RunRef): RunRef => ({ owner, repo, run });

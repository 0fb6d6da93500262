import { z } from 'zod';
import { run } from '../../chat/fields/index.js';
import type { Needed } from '../../chat/fields/make.js';
import { isAddress, type RunRef, type WrittenRepository } from '../../chat/references.js';

/**
 * Where a run's number came from. Only a button's is certainly the id: a typed one may be from the forge's pages, and in an
 * address some servers use the id and others the page's number.
 */
interface Origin {
  readonly byHand?: true | undefined;
  readonly pasted?: true | undefined;
}

export type WrittenRun = RunRef & Origin;

export function writtenRun(): Needed<WrittenRepository & { readonly run: number } & Origin, WrittenRun> {
  const plain = run();
  const origin = z.object({ byHand: z.literal(true).optional(), pasted: z.literal(true).optional() });
  return {
    ...plain,
    schema: z.intersection(plain.schema, origin),
    read: (text, reading) => {
      const found = plain.read(text, reading);
      return isAddress(text.trim()) ? { ...found, pasted: true } : { ...found, byHand: true };
    },
    resolve: async (value, context) => {
      const ref = await plain.resolve(value, context);
      if (value?.byHand) return { ...ref, byHand: true };
      return value?.pasted ? { ...ref, pasted: true } : ref;
    },
  };
}

export const exactly = ({ owner, repo, run }: RunRef): RunRef => ({ owner, repo, run });

import { z } from 'zod';

/** A forge item as arguments name it: its repository, and its number if it has one. */
const Reference = z.object({
  owner: z.string(),
  repo: z.string().optional(),
  name: z.string().optional(),
  index: z.number().optional(),
  run: z.number().optional(),
});

/** `acme/engine#12`: what a command is about, for the audit; undefined if its arguments name no repository. */
export function targetOf(args: Readonly<Record<string, unknown>>): string | undefined {
  for (const value of Object.values(args).flat()) {
    const { owner, repo, name, index, run } = Reference.safeParse(value).data ?? {};
    const place = repo ?? name;
    if (owner === undefined || place === undefined) continue;
    const number = index ?? run;
    return `${owner}/${place}${number === undefined ? '' : `#${number}`}`;
  }
  return undefined;
}

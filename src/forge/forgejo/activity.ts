import { z } from 'zod';

const Parts = z.tuple([z.string().regex(/^\d+$/)]).rest(z.string());

/** Forgejo 13 writes the parts of a row as a JSON list; older rows and other servers separate them with bars. */
export function contentWithBars(content: string): string {
  if (!content.startsWith('[') || !content.endsWith(']')) return content;
  const parts = Parts.safeParse(json(content));
  return parts.success ? parts.data.join('|') : content;
}

function json(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

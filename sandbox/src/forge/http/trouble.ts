import type { State } from '../state/state.js';
import type { Answer } from './answer.js';
import { htmlPage } from './dispatch.js';
import type { Trouble } from './faults.js';

/** A fault's answer instead of the forge's; undefined if it only spoils the real one. */
export function instead(state: State, trouble: Trouble): Answer | undefined {
  if ('html' in trouble) return htmlPage(trouble.html, `${trouble.html} Service Unavailable`);
  if ('text' in trouble) {
    return { status: trouble.status ?? 200, text: { type: trouble.type ?? 'application/json', content: trouble.text } };
  }
  if (!('status' in trouble)) return undefined;
  const body = { message: trouble.message ?? '', url: `${state.site.url}/api/swagger` };
  return { status: trouble.status, body, ...(trouble.headers === undefined ? {} : { headers: trouble.headers }) };
}

export const find = <T>(values: readonly Trouble[], pick: (trouble: Trouble) => T | undefined): T | undefined =>
  values.map(pick).find((value) => value !== undefined);

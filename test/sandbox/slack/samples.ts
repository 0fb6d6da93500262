/** Block Kit samples, and the form of an expected error: name, block, JSON pointer, message. */
export type Broken = [string, object, string, string];

export const long = (length: number) => 'x'.repeat(length);
export const plain = (text: string) => ({ type: 'plain_text', text });
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
export const option = (text: string, value = text) => ({ text: plain(text), value });
export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
export const actions = (...elements: object[]) => ({ type: 'actions', elements });
export const select = (extra: object) => actions({ type: 'static_select', action_id: 'a', ...extra });
export const rich = (...elements: object[]) => ({ type: 'rich_text', elements });
export const row = (count: number) => many(count, () => ({ type: 'raw_text', text: 'x' }));
export const plainButton = { type: 'button', text: plain('ok') };

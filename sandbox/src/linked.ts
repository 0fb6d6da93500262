import type { Message, SandboxSlack } from './slack/index.js';

const toldAbout = /You’re linked as|Signed out\./;

const told = ({ byBot, text, blocks }: Message) =>
  byBot ? toldAbout.exec(`${text} ${JSON.stringify(blocks)}`)?.[0] : undefined;

/** Whether this person is linked, by what Bellows last told them in private. */
export function isLinked({ state }: SandboxSlack, id: string): boolean {
  const since = ({ edited, ts }: Message) => Number(edited ?? ts);
  const last = [...state.messages(state.dm(id).id), ...state.ephemerals(id)]
    .filter((message) => told(message) !== undefined)
    .sort((a, b) => since(a) - since(b))
    .at(-1);
  return last !== undefined && told(last) !== 'Signed out.';
}

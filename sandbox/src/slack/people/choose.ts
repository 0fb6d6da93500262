import { isMany, offeredBy, pick } from '../form-values.js';
import { asText, isObj, type Json, type Obj } from '../json.js';
import type { Workspace } from '../workspace.js';

/** Text to search for, or an option as offered. */
export type Fill = string | number | Obj | readonly (string | Obj)[] | null;

/** Queries the app's options; only external selects need it. */
export type Ask = (query: string) => Promise<Obj[]>;

const richText = (text: string): Obj => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});

/** Types the text and takes the match; if nothing is found, searches the unfiltered options. */
async function found(control: Obj, wanted: string, ask: Ask): Promise<Obj | undefined> {
  const offered = await ask(wanted);
  const typed = pick(offered, wanted) ?? (offered.length === 1 ? offered[0] : undefined);
  return typed ?? (control['min_query_length'] === 0 ? pick(await ask(''), wanted) : undefined);
}

async function one(space: Workspace, control: Obj, wanted: string | Obj, ask: Ask): Promise<Json> {
  if (isObj(wanted)) return wanted;
  const type = asText(control['type']).replace(/^multi_/, '');
  switch (type) {
    case 'users_select':
      return space.user(wanted).id;
    case 'channels_select':
    case 'conversations_select':
      return space.channel(wanted).id;
    case 'rich_text_input':
      return richText(wanted);
    case 'datetimepicker':
      return Number(wanted);
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
    case 'checkboxes':
    case 'overflow': {
      const option = type === 'external_select' ? await found(control, wanted, ask) : pick(offeredBy(control), wanted);
      if (option === undefined) throw new Error(`"${wanted}" is not offered by ${asText(control['action_id'])}.`);
      return option;
    }
    default:
      return wanted;
  }
}

/** A control's value after a person's choice; nothing chosen is null, or an empty list. */
export async function choose(space: Workspace, control: Obj, wanted: Fill, ask: Ask): Promise<Json> {
  const many = isMany(control);
  if (wanted === null || wanted === '') return many ? [] : null;
  const list: readonly (string | Obj)[] = Array.isArray(wanted) ? wanted : [isObj(wanted) ? wanted : String(wanted)];
  if (!many && list.length !== 1) throw new Error(`${asText(control['action_id'])} takes one value.`);
  const chosen: Json[] = [];
  for (const each of list) chosen.push(await one(space, control, each, ask));
  return many ? chosen : (chosen[0] ?? null);
}

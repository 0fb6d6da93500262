import type { Issue } from '../../forge/schemas/issue.js';
import { type ValueName, valueNames, valuesOf, type Wanted, words } from './values.js';

const fold = (text: string | undefined) => text?.toLowerCase();

/** What the item lacks of what was requested: `labels bug`. */
function missing(name: ValueName, wanted: Wanted, item: Issue): string | undefined {
  const now = valuesOf(item);
  if (name === 'assignees' || name === 'labels') {
    const held = (now[name] ?? []).map(fold);
    const lacking = (wanted[name] ?? []).filter((each) => !held.includes(fold(each)));
    if (lacking.length > 0) return `${words[name]} ${lacking.join(', ')}`;
    return held.length > (wanted[name] ?? []).length ? words[name] : undefined;
  }
  if (name === 'due') return now.due === (wanted.due ?? null) ? undefined : words.due;
  if (name !== 'milestone') return undefined;
  const { milestone } = wanted;
  const asked = milestone && 'id' in milestone ? milestone.id : fold(milestone?.title);
  const held = milestone && 'id' in milestone ? item.milestone?.id : fold(now.milestone?.title);
  return asked === held ? undefined : words.milestone;
}

/** Without write permission, or with an unknown name, the forge reports success and leaves these unchanged. */
export const leftOut = (wanted: Wanted, item: Issue, names: readonly ValueName[] = valueNames): string[] =>
  names.flatMap((name) => (wanted[name] === undefined ? [] : (missing(name, wanted, item) ?? [])));

/** One sentence about all of them; none if nothing was left out. */
export function leftOutSentence(wanted: Wanted, item: Issue, names?: readonly ValueName[]): string[] {
  const left = leftOut(wanted, item, names);
  if (left.length === 0) return [];
  return [`The forge did not save ${left.join('; ')}. You may not have permission, or the name does not exist.`];
}

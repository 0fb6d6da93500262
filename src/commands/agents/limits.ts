import { z } from 'zod';
import { joinList, listOf, splitList } from '../../chat/fields/lists.js';
import { type Needed, plainField } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';
import { refuseForeign } from '../../pattern.js';

const most = 20;
const longest = 100;

function patterns(label: string, hint: string, placeholder: string, form: RegExp, what: string) {
  return plainField<readonly string[]>(
    { hint },
    {
      label,
      placeholder,
      input: { kind: 'text', max: 1_000 },
      schema: z.array(z.string().min(1).max(longest)).min(1).max(most).readonly(),
      read: (text) => {
        const found = listOf(splitList(text.toLowerCase()), what, most, longest);
        for (const each of found) {
          refuseForeign(each, each);
          if (!form.test(each)) throw new UserError(`“${each.slice(0, 60)}” is not valid here. Write ${placeholder}.`);
        }
        return found;
      },
      show: joinList,
    },
  );
}

/** `issue *, run rerun` */
export const commandPatterns = (): Needed<readonly string[]> =>
  patterns(
    'Commands',
    'The commands the agent may use. * stands for any words.',
    'issue *, run rerun',
    /^[a-z0-9*? -]+$/,
    'commands',
  );

/** `acme/*` */
export const repositoryPatterns = (): Needed<readonly string[]> =>
  patterns(
    'Repositories',
    'Leave empty for every repository you can use.',
    'acme/*',
    /^[a-z0-9._*?-]+\/[a-z0-9._*?-]+$/,
    'repositories',
  );

import { describe, expectTypeOf, it } from 'vitest';
import { command } from '../../../src/chat/command.js';
import {
  type Args,
  choice,
  clearable,
  flag,
  issue,
  labels,
  optional,
  people,
  repository,
  type TypedArgs,
  text,
  toggle,
} from '../../../src/chat/fields.js';
import { say } from '../../../src/view/message.js';
import { md } from '../../../src/view/text.js';

const fields = {
  issue: issue(),
  repository: optional(repository()),
  people: people(),
  labels: flag(clearable(labels())),
  state: flag(choice(['open', 'closed'], { label: 'State' })),
  all: toggle({ label: 'All' }),
  name: text({ label: 'Name' }),
};
type Received = Args<typeof fields>;

describe('what a command receives', () => {
  it('is exact', () => {
    expectTypeOf<Received['issue']>().toEqualTypeOf<{
      readonly owner: string;
      readonly repo: string;
      readonly index: number;
    }>();
    expectTypeOf<Received['people']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Received['name']>().toEqualTypeOf<string>();
    expectTypeOf<Received['labels']>().toEqualTypeOf<readonly string[] | null | undefined>();
    expectTypeOf<Received['state']>().toEqualTypeOf<'open' | 'closed' | undefined>();
    expectTypeOf<Received['all']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<TypedArgs<typeof fields>['name']>().toEqualTypeOf<string | undefined>();
  });

  it('has no name that the fields do not have', () => {
    command({
      name: 'sample',
      summary: 'A sample.',
      examples: [],
      fields,
      role: 'everyone',
      risk: 'read',
      effect: 'read',
      operations: [],
      plan: () => [],
      // @ts-expect-error a misspelt name does not compile
      run: async (args) => args.isue,
      reply: () => say(md`Done.`),
    });
  });
});

// Replaces `vitest` in the bundle of tests: they are registered once, and each change runs those that reach it.
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  customMatchers,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);
export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
globalThis[GLOBAL_EXPECT] = expect;
setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null }, expect);
chai.expect.extend(expect, customMatchers);

const pollEveryMs = 20;

/** Retries until the rest of the chain holds. */
expect.poll = (ask, { timeout = 1_000 } = {}) => {
  const follow = (words) =>
    new Proxy(() => {}, {
      get: (_target, word) => follow([...words, word]),
      async apply(_target, _self, args) {
        for (const end = Date.now() + timeout; ; await sleep(pollEveryMs)) {
          try {
            const chain = words.slice(0, -1).reduce((so, word) => so[word], expect(await ask()));
            return chain[words.at(-1)](...args);
          } catch (error) {
            if (Date.now() >= end) throw error;
          }
        }
      },
    });
  return follow([]);
};

export const tests = [];
export const suites = [];
let here;

function open(file, name, parent) {
  here = { file, name, parent, hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] } };
  suites.push(here);
}

/** Registrations from now on belong to this file. */
export const enter = (file) => open(file, '', undefined);

const hook = (kind) => (run) => void here.hooks[kind].push(run);
export const beforeAll = hook('beforeAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
export const afterAll = hook('afterAll');

export function describe(name, build) {
  const outer = here;
  open(outer.file, name, outer);
  build();
  here = outer;
}

export function it(name, ...rest) {
  const names = [name];
  for (let suite = here; suite; suite = suite.parent) if (suite.name !== '') names.unshift(suite.name);
  const run = rest.find((each) => typeof each === 'function');
  tests.push({ name: names.join(' '), file: here.file, suite: here, run });
}

/** `%s` by position, `$key` by name. */
function titled(name, [first, ...others]) {
  const keyed = typeof first === 'object' && first !== null && name.includes('$');
  const places = name.match(/%[sdifjo]/g)?.length ?? 0;
  const named = keyed ? name.replaceAll(/\$(\w+)/g, (_all, key) => `'${first[key]}'`) : name;
  return format(named, ...[first, ...others].slice(0, places));
}

const each =
  (make) =>
  (rows) =>
  (name, ...rest) => {
    for (const row of rows) {
      const args = Array.isArray(row) ? row : [row];
      const given = rest.map((part) => (typeof part === 'function' ? () => part(...args) : part));
      make(titled(name, args), ...given);
    }
  };
describe.each = each(describe);
it.each = each(it);

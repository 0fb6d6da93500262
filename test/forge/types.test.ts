import { describe, expectTypeOf, it } from 'vitest';
import type { Api, Input, OperationName, Operations, Page } from '../../src/forge/index.js';

declare const api: Api;

/** Only for the compiler. */
const compiles = (_: () => unknown): void => undefined;

describe('the types of the client', () => {
  it('require every path parameter', () => {
    compiles(() => api.runs.forceCancel({ owner: 'ada', repo: 'engine', run: 5 }));
    // @ts-expect-error the run is missing
    compiles(() => api.runs.forceCancel({ owner: 'ada', repo: 'engine' }));
    // @ts-expect-error nothing is given
    compiles(() => api.runs.forceCancel());
  });

  it('know the type of each', () => {
    // @ts-expect-error a run is a number
    compiles(() => api.runs.forceCancel({ owner: 'ada', repo: 'engine', run: '5' }));
    // @ts-expect-error an owner is a name
    compiles(() => api.runs.forceCancel({ owner: 1, repo: 'engine', run: 5 }));
    // @ts-expect-error a state is open or closed
    compiles(() => api.issues.edit({ owner: 'ada', repo: 'engine', index: 1, body: { state: 'shut' } }));
    // @ts-expect-error reviewers are a list
    compiles(() => api.pulls.requestReviewers({ owner: 'ada', repo: 'engine', index: 1, body: { reviewers: 'bob' } }));
  });

  it('refuse unknown fields', () => {
    // @ts-expect-error there is no such field of the body
    compiles(() => api.issues.edit({ owner: 'ada', repo: 'engine', index: 1, body: { titel: 'x' } }));
    // @ts-expect-error there is no such field of the query
    compiles(() => api.issues.search({ query: { order: 'x' } }));
    // @ts-expect-error there is no such path parameter
    compiles(() => api.users.get({ username: 'ada', repo: 'engine' }));
  });

  it('require a body if there is one', () => {
    // @ts-expect-error the body is missing
    compiles(() => api.issues.comment({ owner: 'ada', repo: 'engine', index: 1 }));
  });

  it('let an operation without input be called without arguments', () => {
    compiles(() => api.users.me());
    compiles(() => api.notifications.list());
  });

  it('refuse operations that do not exist', () => {
    // @ts-expect-error no such method
    compiles(() => api.issues.destroy());
    expectTypeOf<'issues.edit'>().toExtend<OperationName>();
    expectTypeOf<'issues.destroy'>().not.toExtend<OperationName>();
  });

  it('return pages for lists, items for items and nothing for nothing', () => {
    type Answer<Method extends (...args: never[]) => unknown> = Awaited<ReturnType<Method>>;
    type Issue = Answer<Api['issues']['get']>;
    expectTypeOf<Answer<Api['issues']['search']>>().toEqualTypeOf<Page<Issue>>();
    expectTypeOf<Issue['number']>().toEqualTypeOf<number>();
    expectTypeOf<Answer<Api['admin']['deleteRunner']>>().toEqualTypeOf<undefined>();
    expectTypeOf<ReturnType<Api['issues']['search']['each']>>().toEqualTypeOf<AsyncGenerator<Issue, void, undefined>>();
  });

  it('are available by name too', () => {
    expectTypeOf<Input<Operations['issues']['get']>>().toExtend<{ owner: string; repo: string; index: number }>();
  });
});

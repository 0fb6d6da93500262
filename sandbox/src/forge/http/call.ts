import type { Operation, PathParams, Route } from '../../../../src/forge/operation.js';
import type { Operations } from '../../../../src/forge/operations/index.js';
import type { View } from '../render/view.js';
import type { Token, User } from '../state/people.js';
import type { State } from '../state/state.js';
import type { Answer } from './answer.js';
import type { Body } from './body.js';
import type { Query } from './query.js';

export interface Caller {
  readonly user: User | undefined;
  readonly via: 'nothing' | 'basic' | 'header';
  readonly token: Token | undefined;
}

export interface Call<R extends Route = Route> {
  readonly state: State;
  readonly view: View;
  readonly caller: Caller;
  /** The path below /api/v1, still encoded. */
  readonly path: string;
  readonly params: PathParams<R>;
  readonly query: Query;
  /** The header of that name, for the few that need one. */
  readonly range: string | undefined;
  /** Parsed on first use, so that permissions are checked before it. */
  readonly body: () => Body;
}

export type Handler<R extends Route> = (call: Call<R>) => Answer | Promise<Answer>;

type HandlerOf<O> = O extends Operation<infer R, infer _Q, infer _B, infer _A, infer _L> ? Handler<R> : never;

/** One handler per entry of the table: a missing one does not compile. */
export type Handlers = {
  readonly [Noun in keyof Operations]: {
    readonly [Verb in keyof Operations[Noun]]: HandlerOf<Operations[Noun][Verb]>;
  };
};

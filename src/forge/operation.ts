import type { z } from 'zod';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Route = `${Method} /${string}`;

/** read: changes nothing. idempotent: may be sent again. once: sending twice does it twice. */
export type Effect = 'read' | 'idempotent' | 'once';

/** The areas a token's scopes cover, in the forge's own words. */
export type ScopeArea = 'repository' | 'issue' | 'notification' | 'user' | 'organization' | 'package' | 'admin';

export type FailureKind =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'invalid'
  | 'archived'
  | 'empty'
  | 'exists'
  | 'blocked'
  | 'rejected'
  | 'unavailable'
  | 'timeout';

type NamesIn<R extends string> = R extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** Path parameters that are numbers at the forge; all others are strings. */
export const integerParams = ['index', 'id', 'run', 'job_id', 'runner_id', 'column_id', 'attempt'] as const;
type IntegerParam = (typeof integerParams)[number];

export type PathParams<R extends Route> = {
  readonly [Name in NamesIn<R>]: Name extends IntegerParam ? number : string;
};

export type Product = 'Gitea' | 'Forgejo';

/** Validated query values, before they are written into a URL. */
export type Values = Readonly<Record<string, unknown>>;

/** A client-side filter for servers that ignore it. */
export interface RowFilter {
  keep(item: unknown, value: unknown): boolean;
  /** No later row can match. */
  past?(item: unknown, value: unknown): boolean;
}

/** Carries the row's type; the engine passes rows of the same entry and values its query validated. */
export function rowFilter<Item, Value>(
  keep: (item: Item, value: Value) => boolean,
  past?: (item: Item, value: Value) => boolean,
): RowFilter {
  return { keep, ...(past && { past }) } as RowFilter;
}

/** How Forgejo differs: kept in the entry, so that nothing outside this folder knows. */
export interface Variant {
  /** First release that has it, 'none' if none has; only for messages. */
  readonly since?: string;
  /** Where it is instead; the first one the server has is used. */
  readonly routes?: readonly Route[];
  /** The same filters in its terms. `lists` says whether the server's API document lists a parameter. */
  query?(query: Values, lists: (name: string) => boolean): Values;
  /** What its list leaves out of the request. */
  note?(query: Values): string | undefined;
  /** Filters it ignores. */
  readonly ignores?: readonly string[];
  /** The whole list comes at once. */
  readonly unpaged?: true;
}

/** `item`: this is a list; `in` names the wrapper property some servers put the array under. */
export interface ListShape<Item extends z.ZodType = z.ZodType> {
  readonly item: Item;
  readonly in?: string;
  /** What is only the length of this page: `total_count` beside the array, or the header. */
  readonly countsPage?: 'body' | 'header';
  /** For a row that does not match `item`: the least that is needed. */
  readonly poorer?: z.ZodType;
}

export interface Operation<
  R extends Route = Route,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Body extends z.ZodObject | undefined = z.ZodObject | undefined,
  Answer extends z.ZodType | undefined = z.ZodType | undefined,
  List extends ListShape | undefined = ListShape | undefined,
> {
  readonly route: R;
  /** All scopes a token needs: read for a GET, write for everything else. Absent: the repository. */
  readonly scope?: readonly ScopeArea[];
  readonly effect: Effect;
  /** The forge clones or merges before it starts to answer. */
  readonly slow?: true;
  readonly query?: Query;
  readonly body?: Body;
  /** Absent: the answer has no useful body. */
  readonly answer?: Answer;
  readonly list?: List;
  readonly failures: readonly FailureKind[];
  /** Text of which only this many bytes at the end are read, however long it is. */
  readonly tail?: number;
  /** Not in the API document: a server may lack it, and then the feature says so or falls back. */
  readonly beyond?: true;
  /** First Gitea release that has it; only for messages. */
  readonly since?: string;
  readonly forgejo?: Variant;
  /** Client-side filters by name, for servers that ignore them. */
  readonly rowFilters?: Readonly<Record<string, RowFilter>>;
  /** Filters always applied here, unless the server's API document lists them. */
  readonly ignores?: readonly string[];
  /** The body as sent: some fields have two spellings, some values another name. */
  send?(body: Values, product: Product): Values;
  /** Body fields that must never be logged, shown or stored unencrypted. */
  readonly secrets?: readonly string[];
}

/** For type inference; returns the entry unchanged. */
export function operation<
  const R extends Route,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodObject | undefined = undefined,
  Answer extends z.ZodType | undefined = undefined,
  List extends ListShape | undefined = undefined,
>(entry: Operation<R, Query, Body, Answer, List>): Operation<R, Query, Body, Answer, List> {
  return entry;
}

type QueryInput<Q> = Q extends z.ZodObject ? { readonly query?: z.input<Q> } : unknown;
type BodyInput<B> = B extends z.ZodObject ? { readonly body: z.input<B> } : unknown;

/** A caller's input: path parameters flat, `query` and `body` nested. */
export type Input<O> =
  O extends Operation<infer R, infer Q, infer B, infer _A, infer _L>
    ? PathParams<R> & QueryInput<Q> & BodyInput<B>
    : never;

export interface Page<T> {
  readonly items: readonly T[];
  /** Size of the whole list, if the server says. */
  readonly total: number | undefined;
  readonly hasMore: boolean;
  /** What readers should know about this list: it was not searched to its end, or part of it is unavailable. */
  readonly note?: string | undefined;
}

export type Output<O> =
  O extends Operation<infer _R, infer _Q, infer _B, infer A, infer L>
    ? L extends ListShape<infer Item>
      ? Page<z.output<Item>>
      : A extends z.ZodType
        ? z.output<A>
        : undefined
    : never;

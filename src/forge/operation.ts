import type { z } from 'zod';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Route = `${Method} /${string}`;

/** read: changes nothing. idempotent: may be sent again. once: sending twice does it twice. */
export type Effect = 'read' | 'idempotent' | 'once';

/** The parts of a forge that a token is allowed to touch, in the forge's own words. */
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
export const integerParams = ['index', 'id', 'run', 'job_id', 'runner_id', 'column_id'] as const;
type IntegerParam = (typeof integerParams)[number];

export type PathParams<R extends Route> = {
  readonly [Name in NamesIn<R>]: Name extends IntegerParam ? number : string;
};

export type Product = 'Gitea' | 'Forgejo';

/** Values of a query as they were checked, before they are written into an address. */
export type Values = Readonly<Record<string, unknown>>;

/** A filter done here, on rows that were read, where a server takes no notice of it. */
export interface Sieve {
  keep(item: unknown, value: unknown): boolean;
  /** No row behind this one can fit any more. */
  past?(item: unknown, value: unknown): boolean;
}

/** Carries the row's type; the engine hands in rows of the same entry and values its query checked. */
export function sieve<Item, Value>(
  keep: (item: Item, value: Value) => boolean,
  past?: (item: Item, value: Value) => boolean,
): Sieve {
  return { keep, ...(past && { past }) } as Sieve;
}

/** What is different at Forgejo: one entry holds it, nothing outside the forge's room knows. */
export interface Variant {
  /** First release that has it, 'none' where none has; only for the words of a message. */
  readonly since?: string;
  /** Where it lives instead; the first one that the server has is taken. */
  readonly routes?: readonly Route[];
  /** The same filters in its words. `lists` says whether the server's description names a parameter. */
  query?(query: Values, lists: (name: string) => boolean): Values;
  /** What its list leaves out of what was asked. */
  note?(query: Values): string | undefined;
  /** Filters that it takes no notice of. */
  readonly ignores?: readonly string[];
  /** The whole list comes at once. */
  readonly unpaged?: true;
}

/** `item`: this is a list; `in` names the wrapper property some servers put the array under. */
export interface ListShape<Item extends z.ZodType = z.ZodType> {
  readonly item: Item;
  readonly in?: string;
  /** `total_count` beside the array is the length of this page. */
  readonly countsPage?: true;
  /** For a row that does not fit `item`: what is needed of it at least. */
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
  /** What a token needs, all of them: to read for a GET, to write for everything else. Absent: the repository. */
  readonly scope?: readonly ScopeArea[];
  readonly effect: Effect;
  /** The forge clones, or merges, before it begins to answer. */
  readonly slow?: true;
  readonly query?: Query;
  readonly body?: Body;
  /** Absent: the answer has no body worth reading. */
  readonly answer?: Answer;
  readonly list?: List;
  readonly failures: readonly FailureKind[];
  /** Text, of which so many bytes at the end are read, however long it is. */
  readonly tail?: number;
  /** Outside the API document: a server may lack it, and then the feature says so or falls back. */
  readonly beyond?: true;
  /** First Gitea release that has it; only for the words of a message. */
  readonly since?: string;
  readonly forgejo?: Variant;
  /** How a filter is done here, by its name, for servers that take no notice of it. */
  readonly sieves?: Readonly<Record<string, Sieve>>;
  /** Filters that are always done here, unless a server's description names them. */
  readonly ignores?: readonly string[];
  /** The body as it is written: one field may have two spellings, one word another name. */
  send?(body: Values, product: Product): Values;
  /** Body fields that must never be logged, shown or stored in clear. */
  readonly secrets?: readonly string[];
}

/** Carries inference; the value is the entry itself. */
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

/** What a caller passes: path parameters flat, `query` and `body` nested. */
export type Input<O> =
  O extends Operation<infer R, infer Q, infer B, infer _A, infer _L>
    ? PathParams<R> & QueryInput<Q> & BodyInput<B>
    : never;

export interface Page<T> {
  readonly items: readonly T[];
  /** Of the whole list, where the server says so. */
  readonly total: number | undefined;
  readonly hasMore: boolean;
  /** What the reader should know of this list: that it was not searched to its end, or that a part cannot be had. */
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

import { type Compiled, compile, type NameIn, type Table } from './compile.js';
import { bearerOf, type Credential, type Who } from './credential.js';
import type { CallOptions, CallResult, Engine, LooseInput, Sender } from './engine.js';
import { ApiError } from './errors.js';
import type { Input, Output, Page } from './operation.js';
import { walk } from './pages.js';

interface EachOptions extends CallOptions {
  /** The total number of items. */
  readonly max?: number;
  readonly maxPages?: number;
  /** Called with what readers should know about the list, such as how far it was searched. */
  readonly noted?: ((note: string) => void) | undefined;
}

/** An operation without path, body or required query may be called without arguments. */
type Args<O, Options> =
  Record<never, never> extends Input<O> ? [input?: Input<O>, options?: Options] : [input: Input<O>, options?: Options];

type Call<O> = (...args: Args<O, CallOptions>) => Promise<Output<O>>;

type Method<O> =
  Output<O> extends Page<infer Item>
    ? Call<O> & { readonly each: (...args: Args<O, EachOptions>) => AsyncGenerator<Item, void, undefined> }
    : Call<O>;

/** Derived from the table: `api.issues.edit({ owner, repo, index, body })`. */
export type ApiOf<T extends Table> = {
  readonly [Noun in keyof T]: { readonly [Verb in keyof T[Noun]]: Method<T[Noun][Verb]> };
};

const pageSize = 50;
const mostPages = 1000;

export function clientOf<T extends Table>(table: T, engine: Engine) {
  const nouns = new Map<string, (readonly [verb: string, entry: Compiled])[]>();
  for (const [name, entry] of compile(table)) {
    const [noun = '', verb = ''] = name.split('.');
    nouns.set(noun, [...(nouns.get(noun) ?? []), [verb, entry]]);
  }
  const api = {};
  for (const [noun, entries] of nouns)
    Object.defineProperty(api, noun, {
      // made when it is used: most callers need two or three nouns
      get(this: Caller) {
        const value = Object.fromEntries(entries.map(([verb, entry]) => [verb, this[methodOf](entry)]));
        Object.defineProperty(this, noun, { value });
        return value;
      },
    });

  return (credential: Credential, sender: Sender<NameIn<T>> = {}): ApiOf<T> => {
    const who = bearerOf(credential);
    // names come from this table, so the narrower hooks fit
    const caller: Caller = { [methodOf]: (entry) => method(engine, entry, who, sender as Sender) };
    // the only place where the table's types and values meet
    return Object.setPrototypeOf(caller, api) as ApiOf<T>;
  };
}

const methodOf = Symbol('method of an operation');

interface Caller {
  [methodOf](entry: Compiled): unknown;
}

function method(engine: Engine, compiled: Compiled, who: Who, sender: Sender) {
  const call = async (input: LooseInput = {}, options: CallOptions = {}) => {
    const bearer = await admitCall(compiled, () => who.now(), sender);
    if (!who.afterRefusal) return engine.call(compiled, input, options, bearer, sender);
    // a refusal is not reported before another token was tried
    let refusal: CallResult | undefined;
    const after = (of: string, result: CallResult) => {
      if (result.status === 401) refusal = result;
      else sender.after?.(of, result);
    };
    try {
      return await engine.call(compiled, input, options, bearer, { ...sender, after });
    } catch (error) {
      if (!refusal) throw error;
      const other = await admitCall(compiled, who.afterRefusal, sender);
      if (other) return engine.call(compiled, input, options, other, sender);
      sender.after?.(compiled.name, refusal);
      throw error;
    }
  };
  return compiled.items ? Object.assign(call, { each: eachOf(engine, compiled, who, call) }) : call;
}

/** A credential that cannot be renewed fails the call that needed it. */
async function admitCall<T>({ name }: Compiled, ask: () => T | Promise<T>, sender: Sender): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError) sender.after?.(name, { ms: 0, status: error.status, kind: error.kind });
    throw error;
  }
}

function eachOf(
  engine: Engine,
  compiled: Compiled,
  who: Who,
  call: (input: LooseInput, options: CallOptions) => Promise<unknown>,
) {
  return async function* (
    input: LooseInput = {},
    { max = Number.POSITIVE_INFINITY, maxPages = mostPages, noted, ...options }: EachOptions = {},
  ) {
    if (max <= 0) return;
    const query = typeof input['query'] === 'object' && input['query'] !== null ? input['query'] : {};
    const { page: first = 1, limit: wanted = pageSize }: { page?: number; limit?: number } = query;
    const most = compiled.paged ? await engine.maximum(await who.now()) : undefined;
    const limit = Math.min(wanted, most ?? wanted);
    yield* walk({
      first,
      size: most === undefined ? undefined : limit,
      maxItems: max,
      maxPages: compiled.paged ? maxPages : 1,
      noted,
      // the engine answers list entries with pages
      fetch: (page) =>
        call(compiled.paged ? { ...input, query: { ...query, page, limit } } : input, options) as Promise<
          Page<unknown>
        >,
    });
  };
}

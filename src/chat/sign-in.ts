import { ApiError, type Credential, OAuthRefusal } from '../forge/index.js';
import { type OAuthCredential, type Person, same } from '../store/index.js';
import { type Message, say } from '../view/message.js';
import { bold, md } from '../view/text.js';
import { formButton } from './actions.js';
import type { SignInLink } from './linking.js';
import { wantedScopes } from './scopes.js';
import type { Services } from './session.js';

export interface SignInDeps {
  readonly services: Services;
  readonly link: SignInLink;
  /** The workspace this Bellows serves. */
  readonly workspace: { readonly id: string; readonly name: string };
  /** Only to this person, as a direct message. */
  tell(person: Person, id: string, message: Message): Promise<void>;
}

export interface Offered {
  readonly slackName: string;
  readonly workspace: string;
  readonly login: string;
  readonly forge: string;
  /** Undefined if this person was already linked to this account: there is nothing to confirm. */
  readonly code: string | undefined;
}

/** Text for the browser page. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

/** What the browser brings back from the forge. */
export interface Callback {
  readonly state: string;
  readonly query: URLSearchParams;
  /** The state this browser started with. */
  readonly begun: string | undefined;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** From the button in Slack to the forge and back to a question in Slack: nothing is linked before it is answered. */
export function createSignIn({ services, link, workspace, tell }: SignInDeps) {
  const { store, forge, slack, roles, log, slash } = services;
  const expiredError = () =>
    new SignInRefused(`This sign-in has expired or was already used. Run ${slash} signin in Slack again.`);

  async function nameOf({ team, user }: Person): Promise<string> {
    const found = team === workspace.id ? await slack.user(user) : undefined;
    if (!found || found.deleted || found.bot) throw expiredError();
    return found.name;
  }

  /** A forge may end earlier tokens with each sign-in, so a working link takes over the new ones at once. */
  async function isAdopted(person: Person, forgeUserId: number, next: OAuthCredential): Promise<boolean> {
    const account = await store.accounts.get(person);
    if (account?.state !== 'active' || account.forgeUserId !== forgeUserId) return false;
    const held = await store.accounts.credential(person);
    return held?.kind === 'oauth' && store.renewals.put(person, held, next);
  }

  return {
    /** Whether this is a ticket of ours; costs nothing. */
    knows: (ticket: string): boolean => link.personIn(ticket) !== undefined,

    /** Where the browser goes next, and the state it must bring back. */
    async begin(ticket: string): Promise<{ readonly to: string; readonly state: string }> {
      const person = link.personIn(ticket);
      if (!person || !forge.oauth) throw expiredError();
      await nameOf(person);
      const verifier = await forge.oauth.verifier();
      const state = await store.signIns.begin(person, verifier);
      if (state === undefined) throw new SignInRefused('Too many sign-ins in a row. Wait ten minutes and try again.');
      const scopes = wantedScopes(roles.of(person));
      return { to: await forge.oauth.authorizeUrl({ state, verifier, scopes }), state };
    },

    async finish({ state, query, begun }: Callback): Promise<Offered> {
      if (!forge.oauth || begun === undefined || !same(begun, state)) throw expiredError();
      const started = await store.signIns.take(state);
      if (!started) throw expiredError();
      const { person, verifier } = started;
      const slackName = await nameOf(person);
      try {
        const { access, refresh, lifeMs } = await forge.oauth.exchange(query, { state, verifier });
        const now: Credential = { kind: 'renewed', token: async () => access };
        const me = await forge.as(now).users.me();
        const expiresAt = store.now() + lifeMs;
        const credential = { kind: 'oauth' as const, access, refresh, expiresAt, lifeMs };
        const about = { slackName, workspace: workspace.name, login: me.login, forge: new URL(forge.web).host };
        if (await isAdopted(person, me.id, credential)) return { ...about, code: undefined };
        const code = await store.signIns.offer(person, { login: me.login, forgeUserId: me.id, credential });
        await tell(person, `link-offer:${person.user}:${state.slice(0, 8)}`, question(me.login));
        return { ...about, code };
      } catch (error) {
        throw inWords(error);
      }
    },
  };

  function inWords(error: unknown): unknown {
    if (error instanceof ApiError)
      return new SignInRefused(`The forge is not responding. Run ${slash} signin in Slack again in a minute.`);
    if (!(error instanceof OAuthRefusal)) return error;
    if (error.code === 'access_denied') return new SignInRefused('You canceled the sign-in. Nothing was linked.');
    if (error.description.includes('different scope'))
      return new SignInRefused(
        `You gave Bellows other permissions before. Remove it on the forge under Settings, Applications, then run ${slash} signin in Slack again.`,
      );
    log.error({ reason: error.message }, 'the forge refused a sign-in');
    if (error.isOfProgram)
      return new SignInRefused(
        'Bellows is not set up correctly for sign-in. Ask a Bellows admin to run bellows doctor.',
      );
    return expiredError();
  }
}

const question = (login: string): Message =>
  say(
    md`You signed in on the forge as ${bold(login)}. Link that account? If this wasn’t you, ignore this message: nothing is linked.`,
    formButton({ text: `Link as ${login}`, command: 'signin confirm', style: 'primary', turns: true }),
  );

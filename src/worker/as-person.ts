import { askToRelink } from '../chat/linking.js';
import type { House } from '../chat/session.js';
import type { Workshop } from '../chat/workshop.js';
import type { Api } from '../forge/index.js';
import type { Person } from '../store/index.js';

type Tell = Pick<Workshop['answers'], 'tell'>;

export type AsPerson = (person: Person) => Promise<Api | undefined>;

/** The forge as a linked person sees it; undefined when the link is gone. A dead credential is asked about once. */
export async function asPerson(house: House, answers: Tell, person: Person): Promise<Api | undefined> {
  const { store, forge, log } = house;
  const account = await store.accounts.get(person);
  if (account?.state !== 'active') return undefined;
  const credential = await store.accounts.credential(person);
  const after = ({ kind }: { readonly kind: string | undefined }) => {
    if (kind !== 'unauthorized') return;
    askToRelink({ house, answers }, account).catch((error: unknown) =>
      log.warn({ user: person.user, reason: String(error) }, 'nobody could be asked to link again'),
    );
  };
  return credential && forge.as(credential, { after: (_name, result) => after(result) });
}

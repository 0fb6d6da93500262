import type { ModalView } from '@slack/types';
import { type FormMeta, readFormMeta } from '../chat/form/meta.js';
import type { Person, Seal } from '../store/index.js';

const about = ({ team, user }: Person) => ['form', team, user] as const;
const signedForm = /^(.*),"mac":"([^"]{1,110})"\}$/s;

/** A form's metadata goes through Slack: on return it counts only if unchanged and for the same person. */
export function signForm(view: ModalView, seal: Seal, person: Person): ModalView {
  const meta = view.private_metadata ?? '';
  return { ...view, private_metadata: `${meta.slice(0, -1)},"mac":"${seal.mac(meta, about(person))}"}` };
}

/** Undefined for anything not signed above for this person. */
export function readSigned(text: string, seal: Seal, person: Person): string | undefined {
  const [, inside, mac = ''] = signedForm.exec(text) ?? [];
  if (inside === undefined) return undefined;
  const meta = `${inside}}`;
  return seal.checkMac(mac, meta, about(person)) ? meta : undefined;
}

export function readSignedMeta(text: string, seal: Seal, person: Person): FormMeta | undefined {
  const meta = readSigned(text, seal, person);
  return meta === undefined ? undefined : readFormMeta(meta);
}

import { formButton } from '../../chat/actions.js';
import { command, type Reader } from '../../chat/command.js';
import { secret } from '../../chat/fields.js';
import { inCode, wantedScopes } from '../../chat/scopes.js';
import { within } from '../../deadline.js';
import type { Forge } from '../../forge/index.js';
import { linkButton } from '../../view/elements.js';
import { bold, md } from '../../view/text.js';
import { linking } from './linking.js';

/** The form opens at once: if the server does not answer in time, it is not named. */
const productMs = 300;

async function productOf({ capabilities }: Forge): Promise<string> {
  const server = within(productMs, capabilities.server(), 'too slow');
  return server.then(({ product }) => product).catch(() => 'your forge');
}

async function signInIntro({ role, forge, signInUrl, store, person }: Reader) {
  const account = await store.accounts.get(person);
  const linked =
    account?.state === 'active'
      ? md`You’re already linked as ${bold(account.login)}, and your commands work. Continue only to link another account.\n\n`
      : md``;
  const other = formButton({ text: 'Other ways', command: 'signin other' });
  if (signInUrl !== undefined) {
    const name = await productOf(forge);
    return {
      says: md`${linked}Sign in with ${name} in your browser, then confirm here in Slack. The link works for 10 minutes and only for you.`,
      buttons: [linkButton(`Sign in with ${name}`, signInUrl, 'primary'), other],
      alone: true,
    };
  }
  const admin = role === 'admin' ? md` The last one is for admin commands.` : md``;
  return {
    says: md`${linked}Create an access token with these scopes, then paste it here: ${inCode(wantedScopes(role))}.${admin}`,
    buttons: [linkButton('Create a token', forge.tokenPage), other],
  };
}

export const signin = command({
  ...linking,
  name: 'signin',
  aliases: ['login', 'link'],
  title: 'Link your account',
  summary: 'Link your forge account so that commands run as you',
  examples: ['signin'],
  fields: { token: secret({ label: 'Access token', hint: 'Stored encrypted and never shown again.' }) },
  form: { ...linking.form, intro: signInIntro },
});

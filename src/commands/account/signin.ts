import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { secret } from '../../chat/fields/index.js';
import { inCode, wantedScopes } from '../../chat/scopes.js';
import { within } from '../../deadline.js';
import { linkedReply, withClosed } from '../../domain/accounts/keep.js';
import { linkAccount, linkOperations } from '../../domain/accounts/link.js';
import type { Forge } from '../../forge/index.js';
import { linkButton } from '../../view/elements.js';
import { md } from '../../view/text.js';

export const signin = command({
  name: 'signin',
  aliases: ['login', 'link'],
  title: 'Link your account',
  submit: 'Link account',
  summary: 'Link your forge account so that commands run as you',
  examples: ['signin'],
  fields: { token: secret({ label: 'Access token', hint: 'Stored encrypted and never shown again.' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: linkOperations,
  account: 'none',
  form: 'only',
  resumes: true,
  plan: () => [],
  async intro({ role, forge, signInUrl }) {
    const other = formButton({ text: 'Other ways', command: 'signin other' });
    if (signInUrl !== undefined) {
      const name = await productOf(forge);
      return {
        says: md`Sign in with ${name} in your browser, then confirm here in Slack. The link works for 10 minutes and only for you.`,
        buttons: [linkButton(`Sign in with ${name}`, signInUrl, 'primary'), other],
        alone: true,
      };
    }
    const admin = role === 'admin' ? md` The last one is for admin commands.` : md``;
    return {
      says: md`Create an access token with these scopes, then paste it here: ${inCode(wantedScopes(role))}.${admin}`,
      buttons: [linkButton('Create a token', forge.tokenPage), other],
    };
  },
  run: async (args, context) => withClosed(await linkAccount(args, context), context),
  reply: (linked, _args, { forge }) => linkedReply(linked, forge),
});

/** A form opens at once: who does not answer now is called by no name. */
const productMs = 300;

async function productOf({ capabilities }: Forge): Promise<string> {
  const server = within(productMs, capabilities.server(), 'too slow');
  return server.then(({ product }) => product).catch(() => 'your forge');
}

import { command } from '../../chat/command.js';
import { optional, secret, text } from '../../chat/fields.js';
import { inCode, wantedScopes } from '../../chat/scopes.js';
import { linkButton } from '../../view/elements.js';
import { md } from '../../view/text.js';
import { refuseIncomplete } from './link.js';
import { linking } from './linking.js';

export const signinOther = command({
  ...linking,
  name: 'signin other',
  title: 'Other ways to sign in',
  summary: 'Link your forge account with a token or password',
  examples: ['signin other'],
  fields: {
    token: optional(secret({ label: 'Access token', hint: 'Recommended.' })),
    login: optional(text({ label: 'Login', hint: 'Only if you use a password.' })),
    password: optional(
      secret({
        label: 'Password',
        hint: 'Use this instead of a token. Bellows uses it once to create one. If the forge does not allow that, the password is stored encrypted.',
      }),
    ),
  },
  form: {
    ...linking.form,
    intro: ({ role, forge }) => ({
      says: md`A token needs these scopes: ${inCode(wantedScopes(role))}.`,
      buttons: [linkButton('Create a token', forge.tokenPage)],
    }),
  },
  hidden: true,
  check: refuseIncomplete,
});

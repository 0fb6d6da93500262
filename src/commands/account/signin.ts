import { command } from '../../chat/command.js';
import { secret } from '../../chat/fields/index.js';
import { signInIntro } from '../../domain/accounts/sign-in-intro.js';
import { linking } from './linking.js';

export const signin = command({
  ...linking,
  name: 'signin',
  aliases: ['login', 'link'],
  title: 'Link your account',
  summary: 'Link your forge account so that commands run as you',
  examples: ['signin'],
  fields: { token: secret({ label: 'Access token', hint: 'Stored encrypted and never shown again.' }) },
  intro: signInIntro,
});

import type { Config } from '../../config.js';
import { callbackUrl } from '../../config.js';
import { type Forge, OAuthRefusal } from '../../forge/index.js';
import type { Notebook } from './finding.js';

/** Whether people can sign in at the forge: asks the provider itself, with a made-up code. */
export async function lookAtSignIn(config: Config, forge: Forge, found: Notebook): Promise<void> {
  const { oauth } = forge;
  if (!oauth || config.publicUrl === undefined) {
    return found.note(
      'sign-in: people link accounts with access tokens',
      'To let them sign in with the forge, register Bellows there; see bellows oauth-app.',
    );
  }
  const provider = await oauth.provider();
  if (!provider) {
    return found.failure(
      'sign-in: the forge has no OAuth2 provider',
      'Enable it on the forge ([oauth2] ENABLED), or remove FORGE_OAUTH_CLIENT_ID.',
    );
  }
  if (!provider.code_challenge_methods_supported.includes('S256'))
    return found.failure('sign-in: the forge does not support PKCE with S256', 'Upgrade the forge.');
  const shown = new URL(provider.authorization_endpoint).host;
  const ours = new URL(forge.web).host;
  if (shown !== ours) {
    found.warning(
      `sign-in: the forge sends browsers to ${shown}, but Bellows to ${ours}`,
      'Set FORGE_WEB_URL to the address people use.',
    );
  }
  const refusal = await oauth
    .exchange(new URLSearchParams({ code: 'bellows-doctor', state: 'doctor' }), {
      state: 'doctor',
      verifier: await oauth.verifier(),
    })
    .then(() => undefined)
    .catch((error: unknown) => {
      if (error instanceof OAuthRefusal) return error;
      throw error;
    });
  if (refusal?.isOfProgram) {
    const isRedirect = /redirect uri/i.test(refusal.description);
    return found.failure(
      `sign-in: the forge does not accept Bellows as an application (${refusal.description})`,
      isRedirect
        ? `Register the redirect address ${callbackUrl(config.publicUrl)} on the forge.`
        : 'Check FORGE_OAUTH_CLIENT_ID and FORGE_OAUTH_CLIENT_SECRET; bellows oauth-app shows what to register.',
    );
  }
  if (config.publicUrl.startsWith('http:'))
    found.warning('sign-in: BELLOWS_PUBLIC_URL is not https', 'Serve it over TLS: browsers send sign-in data there.');
  found.ok(`sign-in: the forge accepts Bellows and sends browsers back to ${callbackUrl(config.publicUrl)}`);
}

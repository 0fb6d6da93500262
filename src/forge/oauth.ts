import type * as Library from 'oauth4webapi';
import { z } from 'zod';
import { readServerWords } from './capabilities.js';
import { ApiError } from './errors.js';
import type { Exchange } from './exchange.js';
import type { Wire } from './transport.js';

/** Used as the operation's name, though it is not in the table. */
export const signingIn = 'oauth.token';

/** The forge or the person refused a sign-in. Contains no code, token or secret. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  /** An OAuth error code: `access_denied`, `invalid_grant`. */
  readonly code: string;
  readonly description: string;

  constructor(code: string, description: string) {
    super(`${code}: ${description}`.slice(0, 300));
    this.code = code.slice(0, 60);
    this.description = description.slice(0, 240);
  }

  /** The application is misconfigured, which is not the fault of the person signing in. */
  get isOfProgram(): boolean {
    return this.code === 'invalid_client' || /client secret|client id|redirect uri/i.test(this.description);
  }
}

/** The application as registered at the forge; without a secret it is a public one. */
export interface OAuthSettings {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly redirectUri: string;
}

interface OAuthTokens {
  readonly access: string;
  /** Works once. */
  readonly refresh: string | undefined;
  readonly lifeMs: number;
}

export interface OAuth {
  /** Our secret for one sign-in; the forge gets its hash first. */
  verifier(): Promise<string>;
  authorizeUrl(asked: {
    readonly state: string;
    readonly verifier: string;
    readonly scopes: readonly string[];
  }): Promise<string>;
  /** `callback`: what the browser brought back. */
  exchange(
    callback: URLSearchParams,
    expected: { readonly state: string; readonly verifier: string },
  ): Promise<OAuthTokens>;
  refresh(token: string): Promise<OAuthTokens>;
  /** The forge's provider metadata; undefined if it has none. */
  provider(): Promise<Provider | undefined>;
}

const Provider = z.object({
  authorization_endpoint: z.url(),
  code_challenge_methods_supported: z.array(z.string()).default([]),
});
type Provider = z.infer<typeof Provider>;

interface Ports extends OAuthSettings {
  readonly exchange: Exchange;
  /** Path of the forge below its origin, without trailing slash. */
  readonly folder: string;
  /** Where Bellows reaches the forge, and where people do. */
  readonly root: string;
  readonly web: string;
}

/** Sign-ins are rare, so the first one loads the library. */
const library = () => import('oauth4webapi');
/** Others wait for the process that renews. */
const patienceMs = 10_000;
const usualLifeMs = 3_600_000;

/** Authorization code with PKCE, and refresh; the paths are the same on both products, whatever address they use. */
export function createOAuth(ports: Ports): OAuth {
  const { clientId, clientSecret, redirectUri, folder, root, web } = ports;
  const client = { client_id: clientId };
  const server = { issuer: web, token_endpoint: `${root}/login/oauth/access_token` };

  /** Through the same pool as every other request, with its limits, certificates and circuit. */
  async function send(body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const wire: Wire = {
      method: 'POST',
      path: `${folder}/login/oauth/access_token`,
      headers,
      body,
      patience: patienceMs,
    };
    const reply = await ports.exchange(signingIn, 'once', wire);
    const { status } = reply;
    if (status >= 500 || status === 429 || status === 404)
      throw new ApiError({ kind: 'unavailable', operation: signingIn, status, serverMessage: '' });
    const type = String(reply.headers['content-type'] ?? '');
    return new Response(new Uint8Array(reply.body), { status, headers: { 'content-type': type } });
  }

  async function tools() {
    const lib = await library();
    return {
      lib,
      auth: clientSecret === undefined ? lib.None() : lib.ClientSecretPost(clientSecret),
      options: {
        [lib.allowInsecureRequests]: true,
        [lib.customFetch]: (_url: string, { body, headers }: { body?: unknown; headers: Record<string, string> }) =>
          send(String(body ?? ''), headers),
      },
    };
  }

  async function ask<T>(work: (with_: Awaited<ReturnType<typeof tools>>) => Promise<T>): Promise<T> {
    const given = await tools();
    try {
      return await work(given);
    } catch (error) {
      throw refusalOf(error, given.lib);
    }
  }

  return {
    verifier: async () => (await library()).generateRandomCodeVerifier(),

    async authorizeUrl({ state, verifier, scopes }) {
      const url = new URL(`${web}/login/oauth/authorize`);
      const lib = await library();
      url.search = String(
        new URLSearchParams({
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: scopes.join(' '),
          state,
          code_challenge: await lib.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      );
      return url.href;
    },

    exchange: (callback, { state, verifier }) =>
      ask(async ({ lib, auth, options }) => {
        const params = lib.validateAuthResponse(server, client, callback, state);
        const answer = await lib.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          params,
          redirectUri,
          verifier,
          options,
        );
        return tokensIn(await lib.processAuthorizationCodeResponse(server, client, answer));
      }),

    refresh: (token) =>
      ask(async ({ lib, auth, options }) => {
        const answer = await lib.refreshTokenGrantRequest(server, client, auth, token, options);
        return tokensIn(await lib.processRefreshTokenResponse(server, client, answer));
      }),

    async provider() {
      const path = `${folder}/.well-known/openid-configuration`;
      const { status, body } = await ports.exchange(signingIn, 'read', { method: 'GET', path, headers: {} });
      return Provider.safeParse(readServerWords(status, body)).data;
    },
  };
}

const tokensIn = (answer: Library.TokenEndpointResponse): OAuthTokens => ({
  access: answer.access_token,
  refresh: answer.refresh_token,
  lifeMs: answer.expires_in === undefined ? usualLifeMs : answer.expires_in * 1_000,
});

/** The library's errors contain whole answers: only the forge's code and description are kept. */
function refusalOf(error: unknown, lib: typeof Library): unknown {
  if (error instanceof lib.ResponseBodyError || error instanceof lib.AuthorizationResponseError)
    return new OAuthRefusal(error.error, error.error_description ?? '');
  if (error instanceof lib.OperationProcessingError || error instanceof lib.UnsupportedOperationError)
    return new OAuthRefusal('unexpected_answer', error.message);
  return error;
}

import { SlackError } from '../slack-error.js';
import type { Method, MethodCall } from './method.js';

function authorize({ core, args }: MethodCall): void {
  const { clientId, clientSecret } = core.app.oauth;
  if (args.text('client_id') !== clientId) throw new SlackError('invalid_client_id');
  if (args.text('client_secret') !== clientSecret) throw new SlackError('bad_client_secret');
  const code = args.required('code', 'invalid_code');
  const used = core.oauthCodes.get(code);
  if (used === undefined) throw new SlackError('invalid_code');
  if (used) throw new SlackError('code_already_used');
  core.oauthCodes.set(code, true);
}

export const app: Record<string, Method> = {
  'auth.test': {
    tier: 'special',
    token: 'any',
    run: ({ core: { space } }) => ({
      url: `https://${space.team.domain}.slack.com/`,
      team: space.team.name,
      user: space.bot.name,
      team_id: space.team.id,
      user_id: space.bot.id,
      bot_id: space.botId,
      ...(space.team.enterpriseId !== undefined && { enterprise_id: space.team.enterpriseId }),
      is_enterprise_install: false,
    }),
  },
  'apps.connections.open': {
    tier: 'three',
    token: 'app',
    scope: 'connections:write',
    headerOnly: true,
    run: ({ core }) => ({ url: core.socketAddress() }),
  },
  /** Only the app's owner reads its settings. */
  'apps.manifest.export': {
    tier: 'three',
    token: 'config',
    run: ({ core, args }) => {
      if (args.required('app_id', 'invalid_arguments') !== core.space.appId) throw new SlackError('invalid_app_id');
      const { scopes, events = [] } = core.app;
      return {
        manifest: {
          oauth_config: { scopes: { bot: [...scopes] } },
          settings: { event_subscriptions: { bot_events: [...events] } },
        },
      };
    },
  },
  'oauth.v2.access': {
    tier: 'four',
    token: 'none',
    run: (call) => {
      authorize(call);
      const { space, tokens, app: settings } = call.core;
      // each installation gets its own token, besides the sandbox's first one
      const token = `xoxb-installed-${call.core.ids.secret()}`;
      tokens.add(token, 'bot', settings.scopes);
      return {
        app_id: space.appId,
        authed_user: { id: [...space.users.keys()].find((id) => id !== space.bot.id) ?? space.bot.id },
        scope: settings.scopes.join(','),
        token_type: 'bot',
        access_token: token,
        bot_user_id: space.bot.id,
        team: { id: space.team.id, name: space.team.name },
        enterprise: null,
        is_enterprise_install: false,
      };
    },
  },
  'team.info': {
    tier: 'three',
    scope: 'team:read',
    run: ({ core: { space } }) => ({ team: { ...space.team, email_domain: '', icon: {} } }),
  },
  'bots.info': {
    tier: 'three',
    scope: 'users:read',
    run: ({ core: { space }, args }) => {
      if ((args.text('bot') ?? space.botId) !== space.botId) throw new SlackError('bot_not_found');
      return {
        bot: { id: space.botId, app_id: space.appId, user_id: space.bot.id, name: space.bot.name, deleted: false },
      };
    },
  },
};

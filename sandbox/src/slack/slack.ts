import { Changes } from './changes.js';
import type { Core } from './core.js';
import { Courier } from './delivery/courier.js';
import { HttpRoad } from './delivery/http.js';
import { SocketRoad } from './delivery/socket.js';
import { Faults } from './faults.js';
import { Ids } from './ids.js';
import { Log } from './log.js';
import { callsNoCrowd } from './mentions.js';
import { Rate } from './rate.js';
import { Calls, type Delivery, Failures } from './records.js';
import { ResponseUrls } from './response-urls.js';
import { SandboxSlack } from './sandbox-slack.js';
import { listen } from './server.js';
import { everyScope, historyScopes, type SlackOptions } from './settings.js';
import { Tokens } from './tokens.js';
import { Triggers } from './triggers.js';
import { Workspace } from './workspace.js';

const withDefaults = (options: SlackOptions) => ({
  botToken: options.tokens?.bot ?? 'xoxb-sandbox',
  appToken: options.tokens?.app ?? 'xapp-sandbox',
  signingSecret: options.tokens?.signingSecret ?? 'sandbox-signing-secret',
  scopes: options.scopes ?? [...everyScope, ...((options.historyScopes ?? true) ? historyScopes : [])],
  ackTimeoutMs: options.ackTimeoutMs ?? 3000,
  eventRetryMs: options.eventRetryMs ?? [0, 60_000, 300_000],
});

/** A private Slack, listening on this machine. */
export async function startSlack(options: SlackOptions = {}): Promise<SandboxSlack> {
  const settings = withDefaults(options);
  const now = options.clock ?? Date.now;
  const ids = new Ids();
  const changes = new Changes();
  const failures = new Failures(2000, now, () => changes.tell({ kind: 'failure' }));
  const deliveries = new Log<Delivery>(5000, () => changes.tell({ kind: 'delivery' }));
  const listening = await listen(options.host ?? '127.0.0.1', options.port ?? 0);
  const socket = new SocketRoad(listening.server, failures, settings.ackTimeoutMs, () =>
    changes.tell({ kind: 'connection' }),
  );
  const http = new HttpRoad(settings.signingSecret, settings.ackTimeoutMs, options.requestUrl);
  const road = (options.mode ?? 'socket') === 'socket' ? socket : http;
  const tokens = new Tokens();
  tokens.add(settings.botToken, 'bot', settings.scopes);
  tokens.add(settings.appToken, 'app', ['connections:write']);
  tokens.add('xoxe.xoxp-sandbox', 'config', []);
  const core: Core = {
    url: listening.url,
    now,
    ids,
    space: new Workspace(options.seed ?? {}, ids, changes, now),
    changes,
    tokens,
    triggers: new Triggers(now, Math.max(3000, settings.ackTimeoutMs), () => ids.secret()),
    responseUrls: new ResponseUrls(listening.url, now, () => ids.secret()),
    faults: new Faults(),
    rate: new Rate(options.limits ?? false, now),
    calls: new Calls(20_000, () => changes.tell({ kind: 'call' })),
    failures,
    courier: new Courier(road, {
      failures,
      deliveries,
      eventRetryMs: settings.eventRetryMs,
      onOutcome: () => changes.tell({ kind: 'delivery' }),
    }),
    app: {
      botToken: settings.botToken,
      scopes: settings.scopes,
      commands: options.commands,
      events: options.events,
      unfurlDomains: options.unfurlDomains ?? [],
      oauth: options.oauth ?? { clientId: 'sandbox-client', clientSecret: 'sandbox-client-secret' },
      workObjects: options.workObjects ?? true,
      allowMention: options.allowMention ?? callsNoCrowd,
    },
    links: new Map(),
    oauthCodes: new Map(),
    details: new Map(),
    socketAddress: () => `${listening.url.replace('http', 'ws')}/link/?ticket=${socket.ticket()}`,
  };
  listening.serve(core);
  const { appToken, signingSecret } = settings;
  return new SandboxSlack(core, { appToken, signingSecret, socket, http, deliveries, close: listening.close });
}

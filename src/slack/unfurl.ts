import { createHash } from 'node:crypto';
import type { EntityMetadata, KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Catalog } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { bindButtons, fitBlocks } from '../chat/fitted.js';
import { readPage } from '../chat/references.js';
import { readOnlySession, type Services } from '../chat/session.js';
import { reasonOf, UserError } from '../errors.js';
import { runAt } from '../features/runs/read.js';
import { type Audience, exposure } from '../feed/exposure.js';
import { itemThread, runThread } from '../feed/item.js';
import { ApiError, isHidden } from '../forge/index.js';
import type { Repository } from '../forge/schemas.js';
import type { Link } from '../store/index.js';
import { divider, context as quiet } from '../view/blocks.js';
import { message } from '../view/message.js';
import { platformError, transientCodes } from './platform-error.js';
import { cardOf, type Page } from './unfurl-card.js';
import { isDrawable, workObject } from './work-object.js';

export interface SharedLinks {
  readonly channel: string;
  readonly user: string;
  readonly message_ts: string;
  readonly unfurl_id?: string | undefined;
  readonly source?: string | undefined;
  readonly links: readonly { readonly url: string }[];
}

export interface UnfurlOptions {
  readonly services: Services;
  readonly catalog: Catalog;
  readonly client: WebClient;
  readonly team: string;
}

interface Drawn {
  readonly url: string;
  /** What it is about, if that can change. */
  readonly item: string | undefined;
  readonly blocks: readonly KnownBlock[];
  /** The same as a Work Object, if enabled. */
  readonly object: EntityMetadata | undefined;
  /** Why only the poster may see it. */
  readonly withheld: string | undefined;
}

const mostCards = 5;

/** Its key in the feed. */
async function itemOf(page: Page, { id }: Repository, context: Context): Promise<string | undefined> {
  if (page.kind === 'issue' || page.kind === 'pull') return itemThread(id, page.of.index);
  return page.kind === 'run' ? runThread((await runAt(page.of, context)).id) : undefined;
}

/** Cards under links to the forge. Everyone in a channel sees them, so the exposure guard decides who may. */
export function createUnfurl({ services, catalog, client, team }: UnfurlOptions) {
  async function drawCards(
    shared: SharedLinks,
  ): Promise<{ readonly linked: boolean; readonly cards: readonly Drawn[] }> {
    const pages = [...new Set(shared.links.map(({ url }) => url))].flatMap((url) => {
      const page = readPage(url, services.forge.web);
      return page ? [{ url, page }] : [];
    });
    const audience = pages.length === 0 ? undefined : await services.slack.channel(shared.channel, shared.user);
    // a conversation of two people, or one Slack does not describe: nobody knows who would read it
    if (!audience) return { linked: false, cards: [] };
    const person = { team, user: shared.user };
    const account = await services.store.accounts.get(person);
    const linked = account?.state === 'active' ? account : undefined;
    const session = await readOnlySession(services, { person, channel: undefined, account: linked });
    // Without a linked account, only public content is shown, read by the bot.
    const context = linked ? session : { ...session, api: services.service };
    const found = await Promise.all(
      pages.slice(0, mostCards).map(({ url, page }) => draw(url, page, audience, context, linked !== undefined)),
    );
    return { linked: linked !== undefined, cards: found.filter((each) => each !== undefined) };
  }

  const isShown = ({ withheld }: Drawn) => withheld === undefined;
  const fingerprint = ({ blocks }: Drawn) => createHash('sha256').update(JSON.stringify(blocks)).digest('base64url');

  /** The card under a link is kept up to date for a while. */
  async function remember(
    { channel, user, message_ts: ts, source }: SharedLinks,
    cards: readonly Drawn[],
    postedAt?: number,
  ) {
    if (source === 'composer') return;
    for (const card of cards)
      if (card.item !== undefined)
        await services.store.links.put(
          card.item,
          { team, user },
          { channel, ts, url: card.url, shown: fingerprint(card), at: postedAt },
        );
  }

  return {
    async shared(shared: SharedLinks): Promise<void> {
      const { linked, cards } = await drawCards(shared);
      const shown = cards.filter(isShown);
      await show(shared, shown);
      await remember(shared, shown);
      if (linked)
        await whisper(
          shared,
          cards.filter((card) => !isShown(card)),
        );
    },

    /** Redraws the card of a link as its poster sees the item now. */
    async again(item: string, { channel, user, ts, url, shown: before, at }: Link): Promise<void> {
      const shared = { channel, user, message_ts: ts, links: [{ url }] };
      const [card] = (await drawCards(shared)).cards.filter(isShown);
      if (!card || card.item !== item || fingerprint(card) === before) return;
      await show(shared, [card]);
      await remember(shared, [card], at);
    },
  };

  /** Undefined if the poster may not see it, or the forge does not answer. */
  async function draw(url: string, page: Page, audience: Audience, context: Context, linked: boolean) {
    try {
      const repository = await context.api.repos.get(page.of);
      const hidden = isHidden(repository);
      if (hidden && !linked) return undefined;
      const seen = exposure({ hidden }, audience, services.policy.exposure);
      const fit = await fitBlocks(await cardOf(page, repository, context), catalog, services.forge);
      const blocks = await bindButtons(fit, catalog, context.repoId);
      if (blocks.length === 0) return undefined;
      const item = await itemOf(page, repository, context);
      const anybody = { ...context, login: '' };
      const object =
        services.policy.workObjects && isDrawable(page)
          ? await workObject(page, repository, anybody, { catalog, posted: url })
          : undefined;
      return { url, item, blocks, object, withheld: seen.allowed ? undefined : seen.words } satisfies Drawn;
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof UserError)) throw error;
      services.log.debug({ kind: page.kind, reason: error.message }, 'a link was left as it is');
      return undefined;
    }
  }

  async function show({ channel, message_ts, unfurl_id, source }: SharedLinks, cards: readonly Drawn[]): Promise<void> {
    const objects = cards.flatMap(({ object }) => object ?? []);
    const place =
      unfurl_id && (source === 'composer' || source === 'conversations_history')
        ? ({ unfurl_id, source } as const)
        : { channel, ts: message_ts };
    const plain = async (some: readonly Drawn[]) => {
      const unfurls = some.map(({ url, blocks }) => [url, { blocks: [...blocks], fallback: message({ blocks }).text }]);
      if (some.length > 0) await client.chat.unfurl({ ...place, unfurls: Object.fromEntries(unfurls) });
    };
    await plain(cards.filter(({ object }) => !object));
    if (objects.length === 0) return;
    try {
      await client.chat.unfurl({ ...place, metadata: { entities: objects } });
    } catch (error) {
      if (platformError(error) === undefined) throw error;
      services.log.warn({ reason: reasonOf(error) }, 'Slack rejected a Work Object; showing cards instead');
      await plain(cards.filter(({ object }) => object));
    }
  }

  /** Nothing is posted while the person is still writing; the composer has no channel for an ephemeral message. */
  async function whisper({ channel, user, source }: SharedLinks, cards: readonly Drawn[]): Promise<void> {
    const [first] = cards;
    if (!first || source === 'composer') return;
    const blocks = cards.flatMap((card) => [...card.blocks, divider()]);
    const said = message({ blocks: [...blocks, quiet([`Only you see this. ${first.withheld ?? ''}`])] });
    await client.chat.postEphemeral({ channel, user, text: said.text, blocks: said.blocks });
  }
}

const itemsAtOnce = 5;
const holdMs = 60_000;
/** Slack gets some time after a temporary problem. */
const retryTurns = 5;

interface LinkCardsOptions extends UnfurlOptions {
  /** Between two turns. */
  readonly everyMs: number;
}

/** Cards under recent links are redrawn when their item changed. */
export function createLinkCards({ everyMs, ...options }: LinkCardsOptions) {
  const { store, log } = options.services;
  const { again } = createUnfurl(options);
  return async (): Promise<void> => {
    for (const due of await store.links.due(itemsAtOnce, holdMs)) {
      const { item } = due;
      for (const link of await store.links.of(item)) {
        try {
          await again(item, link);
        } catch (error) {
          const code = platformError(error);
          // otherwise the message was deleted, or Slack no longer accepts a card there
          if (code === undefined || transientCodes.has(code)) await store.links.touch(item, retryTurns * everyMs);
          else await store.links.drop(item, link);
          log.debug({ item, reason: reasonOf(error) }, 'a card under a link stays as it is');
        }
      }
      await store.links.finish(due);
    }
  };
}

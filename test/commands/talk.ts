import type { SandboxSlack } from '@bellows/sandbox/slack';
import type { Bellows } from '../support/bellows.js';

type Actor = ReturnType<SandboxSlack['as']>;
export type Shown = ReturnType<Actor['sees']>[number];
export type View = NonNullable<ReturnType<Actor['openView']>>;

/** A changed message gets new blocks, and every change makes people look at all messages of a channel again. */
const written = new WeakMap<readonly unknown[], string>();

/** Everything a reader sees in it, including buttons. */
export function words(shown: { readonly blocks: readonly unknown[] } | undefined): string {
  const blocks = shown?.blocks ?? [];
  const text = written.get(blocks) ?? JSON.stringify(blocks);
  written.set(blocks, text);
  return text;
}

/** Types commands and waits for their answers, as a person does. */
export function talkTo(bellows: () => Bellows) {
  const actor = (user: string) => bellows().slack.as(user);

  /** The answer to `act`: only for this person, replacing a message or not, or the channel's that names them. */
  async function after(
    user: string,
    act: () => Promise<unknown>,
    channel = 'engine',
    isMeant: (shown: Shown) => boolean = () => true,
  ): Promise<Shown> {
    const before = new Map(
      actor(user)
        .sees(channel)
        .map((shown) => [shown.ts, words(shown)]),
    );
    await act();
    const names = `✅ <@${actor(user).id}> `;
    const isAnswer = (shown: Shown) =>
      (shown.onlyFor !== undefined || shown.channel.startsWith('D') || words(shown).includes(names)) &&
      before.get(shown.ts) !== words(shown) &&
      !shown.text.startsWith('Working on') &&
      isMeant(shown);
    return bellows().slack.until(() => actor(user).sees(channel).find(isAnswer));
  }

  /** The form once the loading view is gone. */
  const form = (user: string): Promise<View> =>
    bellows().slack.until(() => {
      const view = actor(user).openView();
      return view && words(view).includes('"type":"input"') ? view : undefined;
    });

  return {
    after,
    /** The channel's message about a change, once it is there. */
    told: (part: string, channel = 'engine'): Promise<Shown> =>
      bellows().slack.until(() =>
        bellows()
          .slack.state.messages(channel)
          .findLast(({ text, byBot }) => byBot && text.includes(part)),
      ),
    type: (user: string, text: string, channel = 'engine') =>
      after(user, () => actor(user).command(channel, '/forge', text), channel),
    /** What only this person reads, where the channel is told too. */
    typePrivately: (user: string, text: string, channel = 'engine') =>
      after(
        user,
        () => actor(user).command(channel, '/forge', text),
        channel,
        ({ onlyFor }) => onlyFor !== undefined,
      ),
    click: (user: string, shown: Shown, which: string | RegExp, option?: string) =>
      after(user, () => actor(user).click(shown, which, option)),
    /** Clicks where the answer replaces the message. */
    async turn(user: string, shown: Shown, which: string, option?: string): Promise<Shown> {
      const old = words(shown);
      if (option === undefined) await actor(user).click(shown, which);
      else await actor(user).select(shown, which, option);
      const same = ({ ts, blocks }: Shown) => ts === shown.ts && words({ blocks }) !== old;
      return bellows().slack.until(() => actor(user).sees(shown.channel).find(same));
    },
    form,
    /** The form that opens instead of an answer; it is closed again. */
    async opens(user: string, text: string, channel = 'engine'): Promise<View> {
      await actor(user).command(channel, '/forge', text);
      const view = await form(user);
      await actor(user).close();
      return view;
    },
    /** The open view's content after submitting. */
    result: (user: string, text: string): Promise<View> =>
      bellows().slack.until(() => {
        const view = actor(user).openView();
        return view && words(view).includes(text) ? view : undefined;
      }),
  };
}

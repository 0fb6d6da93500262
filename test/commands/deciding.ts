import type { Bellows } from '../support/bellows.js';
import { type Shown, words } from './talk.js';

/** Who requests and decides; the group has the maintainers known to Slack. */
export const people = [
  { id: 'U0ADA00001', name: 'ada' },
  { id: 'U0GRACE001', name: 'grace' },
  { id: 'U0ALAN0001', name: 'alan' },
  { id: 'U0TWIN0001', name: 'twin' },
  { id: 'U0MEMBER01', name: 'member' },
  { id: 'U0GUEST001', name: 'guest' },
];
export const group = { id: 'S0MAINT001', handle: 'maintainers', users: ['U0MEMBER01'] };
/** The most common request: its route and place. */
export const force = 'POST /repos/{owner}/{repo}/actions/runs/{run}/force-cancel';
export const repo = 'acme/engine';

/** The id of the request that a card shows. */
export const requestOn = (card: Shown): string => /\\"id\\":\\"([^"\\]+)\\"/.exec(words(card))?.[1] ?? '';

/** Cards that need a second person, and the clicks on them. */
export function decideIn(bellows: () => Bellows) {
  const actor = (user: string) => bellows().slack.as(user);
  const inChannel = (channel: string) =>
    actor('ada')
      .sees(channel)
      .filter(({ onlyFor }) => onlyFor === undefined);

  /** The new card after a command. */
  async function ask(line: string, as = 'ada', channel = 'engine'): Promise<Shown> {
    const before = new Set(inChannel(channel).map(({ ts }) => ts));
    await actor(as).command(channel, '/forge', line);
    const isNew = (shown: Shown) => !before.has(shown.ts) && words(shown).includes('Approve');
    return bellows().slack.until(() => inChannel(channel).find(isNew));
  }

  return {
    ask,
    /** A run whose runner does not respond. */
    stuck(title: string): number {
      const { world } = bellows().forge;
      const { id } = world.startRun({ as: 'ada', repo, title });
      world.freezeRun({ run: id });
      return id;
    },
    /** Force-cancels of this run that reached the forge. */
    sent: (run: number) =>
      bellows()
        .forge.requests.of(force)
        .filter(({ path }) => path.includes(`/${run}/`)),
    cardSays: (card: Shown, part: string | RegExp): Promise<Shown> =>
      bellows().slack.until(() => {
        const now = inChannel(card.channel).find(({ ts }) => ts === card.ts);
        return now && new RegExp(part).test(words(now)) ? now : undefined;
      }),
    /** The answer only this person sees after the click, even on the card as it was before the decision. */
    async click(user: string, card: Shown, button: string): Promise<Shown> {
      const own = () =>
        actor(user)
          .sees(card.channel)
          .filter(({ onlyFor }) => onlyFor !== undefined);
      const before = new Set(own().map(({ ts }) => ts));
      await actor(user).clickOnOldScreen(card, button);
      // the answer to one's own request may come only now
      const isAnswer = ({ ts, text }: Shown) => !before.has(ts) && !text.startsWith('Waiting for approval');
      return bellows().slack.until(() => own().find(isAnswer));
    },
    messaged: (user: string, part: string | RegExp): Promise<Shown> =>
      bellows().slack.until(() =>
        actor(user)
          .sees(actor(user).dm)
          .find(({ text }) => new RegExp(part).test(text)),
      ),
  };
}

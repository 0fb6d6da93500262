import { talkTo, words } from '../commands/talk.js';
import type { Bellows } from './bellows.js';
import { Browser } from './browser.js';

interface At {
  /** The forge as browsers reach it. */
  readonly url: string;
  password(login: string): string;
}

/** Everything a person does to sign in at the forge, step by step, in Slack and in a browser. */
export function signingIn(bellows: () => Bellows, given?: () => At) {
  const at =
    given ??
    (() => ({ url: bellows().forge.url, password: (login) => bellows().forge.account(login).password ?? '' }) as At);
  const { after, form } = talkTo(bellows);
  const actor = (user: string) => bellows().slack.as(user);

  /** The address of the button in this person's form. */
  async function link(user: string): Promise<string> {
    await actor(user).command('engine', '/forge', 'signin');
    const view = await bellows().slack.until(() => actor(user).openView());
    const address = /"url":"([^"]*\/oauth\/start[^"]*)"/.exec(words(view))?.[1] ?? '';
    await actor(user).close();
    return address;
  }

  /** From that address to the consent page, signed in at the forge as `login`. */
  async function consent(browser: Browser, address: string, login: string) {
    const { headers } = await browser.send(address);
    return atForge(browser, String(headers['location']), login);
  }

  /** The forge's own address to which Bellows sends browsers. */
  async function atForge(browser: Browser, address: string, login: string) {
    const { url, password } = at();
    await browser.send(`${url}/user/login`, { user_name: login, password: password(login) });
    return browser.send(address);
  }

  /** Agrees if asked; returns what Bellows shows afterwards. */
  async function agree(browser: Browser, page: Awaited<ReturnType<typeof consent>>, granted = true) {
    const back = page.status === 200 ? await browser.post(at().url, page.text, { granted: String(granted) }) : page;
    const address = String(back.headers['location']);
    return { address, ...(await browser.send(address)) };
  }

  const numberIn = (page: string): string => /<output>([\d ]+)<\/output>/.exec(page)?.[1] ?? '';

  /** The question in this person's direct messages. */
  const question = (user: string, login: string) =>
    bellows().slack.until(() =>
      actor(user)
        .sees(actor(user).dm)
        .findLast(({ blocks }) => words({ blocks }).includes(`Link as ${login}`)),
    );

  async function confirm(user: string, login: string, number: string) {
    const asked = await question(user, login);
    await actor(user).click(asked, `Link as ${login}`);
    await form(user);
    await actor(user).fill({ number });
    return after(user, () => actor(user).submit(), actor(user).dm);
  }

  return {
    link,
    consent,
    atForge,
    agree,
    numberIn,
    question,
    confirm,
    async signIn(user: string, login = user) {
      const browser = new Browser();
      const page = await agree(browser, await consent(browser, await link(user), login));
      return { page, answer: await confirm(user, login, numberIn(page.text)) };
    },
  };
}

import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context, KnownPerson } from '../../chat/context.js';
import { offset, optional, person, rows } from '../../chat/fields.js';
import { webAddress } from '../../chat/references.js';
import { section } from '../../view/blocks.js';
import { personCard } from '../../view/cards/person.js';
import { count } from '../../view/look.js';
import { message, say } from '../../view/message.js';
import { drawPage } from '../../view/paging.js';
import { code, md } from '../../view/text.js';

interface PeopleSearch {
  readonly person?: string | undefined;
  readonly from?: number | undefined;
}

const sources: Readonly<Record<KnownPerson['origin'], string>> = {
  link: 'linked their account',
  config: 'set in bellows.yaml',
  email: 'same email address in Slack and on the forge',
};

async function findPeople({ person: login }: PeopleSearch, { people, person: { team } }: Context) {
  if (login === undefined) return people.listKnown(team);
  const found = await people.whoIs(team, login);
  return found ? [found] : [];
}

function peopleMessage(
  found: readonly KnownPerson[],
  { person: login, from = 0 }: PeopleSearch,
  { now, forge, slash }: Context,
) {
  if (found.length === 0) {
    const who = login === undefined ? md`No linked people yet.` : md`Nobody in Slack is linked to ${code(login)}.`;
    return say(md`${who} People link their account with ${code(`${slash} signin`)}.`);
  }
  const row = (known: KnownPerson) =>
    personCard(
      { login: known.login, html_url: webAddress(forge.web, { kind: 'person', login: known.login }) },
      { slackUser: known.person.user, how: sources[known.origin] },
      { now, style: 'row' },
    );
  const next = (at: number) => turnButton({ text: 'Show more', command: 'people', args: { from: at } });
  const head =
    login === undefined ? section(md`${count(found.length, 'linked person').replace('persons', 'people')}`) : undefined;
  return message({ blocks: [head, ...drawPage(found, from, rows, row, next)] });
}

export const people = command({
  name: 'people',
  title: 'Find people',
  summary: 'Show which Slack people and forge accounts belong together',
  examples: ['people', 'people ada'],
  fields: { person: optional(person({ label: 'Person' })), from: offset() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['users.get', 'users.search'],
  account: 'none',
  plan: () => [],
  run: findPeople,
  reply: peopleMessage,
});

import type { Button } from '@slack/types';
import { moreMenu } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { rows } from '../../chat/fields/offset.js';
import { readRepository } from '../../chat/references.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { section } from '../../view/blocks.js';
import { repositoryCard } from '../../view/cards/repository.js';
import { type Message, message } from '../../view/message.js';
import { type Stretch, stretch } from '../../view/paging.js';
import { type Mrkdwn, md } from '../../view/text.js';

function row(repository: Repository, now: Date) {
  const at = readRepository(repository.full_name, '');
  const args = { repository: at };
  const menu = moreMenu([
    { text: 'Commits', command: 'repo commits', args },
    { text: 'Activity', command: 'feed repo', args },
    { text: 'Use in this channel', command: 'repo use', args },
  ]);
  return repositoryCard(repository, { now, style: 'row', menu: at && menu });
}

/** A list of repositories with a button for more. */
export function repositoryList(
  found: Stretch<Repository>,
  none: Mrkdwn,
  more: (from: number) => Button,
  { now }: Context,
): Message {
  if (found.items.length === 0)
    return message({ blocks: [section(found.from === 0 ? none : md`No more repositories.`)] });
  return message({
    blocks: stretch(found, rows, (repository) => row(repository, now), more),
  });
}

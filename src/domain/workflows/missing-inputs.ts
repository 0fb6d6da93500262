import type { Button } from '@slack/types';
import { MessageError } from '../../chat/message-error.js';
import { inCode } from '../../chat/scopes.js';
import { failureCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';

/** A refusal that offers the form, or says what to add if the rest is too long for a button. */
export function missingInputs(workflow: string, names: readonly string[], fill: Button | undefined): MessageError {
  const flags = names.map((name) => `--input ${name}=…`).join(' ');
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`${code(workflow)} needs a value for ${inCode(names)}.`,
        next: fill ? undefined : `Run it again with ${flags}`,
        buttons: [fill],
      }),
    }),
  );
}

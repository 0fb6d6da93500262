import type {
  ActionsBlockElement,
  ContextBlock,
  InputBlock,
  KnownBlock,
  SectionBlock,
  SectionBlockAccessory,
} from '@slack/types';
import { useId, useState } from 'preact/hooks';
import { Button, Overflow } from './buttons.js';
import { Control } from './control.js';
import { RichText } from './rich-text.js';
import { useApp } from './store.js';
import { choose, useSurface } from './surface.js';
import { Text } from './text.js';
import { initialValue, keepsValue, keptValue, type ValueElement } from './values.js';

function ValueControl({ of, block }: { of: ValueElement; block: string }) {
  const { place, values } = useSurface();
  const [picked, pick] = useState(initialValue(of));
  const action = of.action_id ?? '';
  const label = ('placeholder' in of ? of.placeholder?.text : undefined) ?? 'Choose';
  return (
    <Control
      of={of}
      block={block}
      label={label}
      value={keptValue(values?.[block]?.[action]) ?? picked}
      onChange={(value) => {
        pick(value);
        void choose(place, { block, action }, value);
      }}
    />
  );
}

function Element({ of, block }: { of: ActionsBlockElement | SectionBlockAccessory; block: string }) {
  if (of.type === 'button') return <Button of={of} block={block} />;
  if (of.type === 'overflow') return <Overflow of={of} block={block} />;
  // No picture is fetched: its alt text is shown instead.
  if (of.type === 'image') return <span class="quiet">[{of.alt_text}]</span>;
  return keepsValue(of) ? <ValueControl of={of} block={block} /> : null;
}

function Section({ block, id }: { block: SectionBlock; id: string }) {
  return (
    <div class="block section">
      <div class="words">
        {block.text ? <Text of={block.text} /> : null}
        {block.fields ? (
          <div class="fields">
            {block.fields.map((field, at) => (
              <div key={`${at}`}>
                <Text of={field} />
              </div>
            ))}
          </div>
        ) : null}
      </div>
      {block.accessory ? <Element of={block.accessory} block={id} /> : null}
    </div>
  );
}

function Context({ block }: { block: ContextBlock }) {
  return (
    <div class="block context">
      {block.elements.map((element, at) => (
        <span key={`${at}`}>{element.type === 'image' ? `[${element.alt_text}]` : <Text of={element} />}</span>
      ))}
    </div>
  );
}

/** The sandbox knows every token: a newcomer has none to paste. */
function TokenOffer({ block }: { block: string }) {
  const { team } = useApp();
  const { edit, edits } = useSurface();
  const who = team?.people.find(({ id }) => id === team.me);
  if (team === undefined || edit === undefined || who === undefined || edits?.[block] === team.token) return null;
  return (
    <button type="button" class="offer" onClick={() => edit(block, team.token, false)}>
      Use {who.realName}’s sandbox token
    </button>
  );
}

function Input({ block, id }: { block: InputBlock; id: string }) {
  const { values, edits, errors, edit } = useSurface();
  const described = useId();
  const { element } = block;
  const error = errors?.[id];
  if (!keepsValue(element)) return null;
  const edited = edits?.[id];
  return (
    <div class="block input">
      <span class="label">
        {block.label.text}
        {block.optional ? <small> (optional)</small> : null}
      </span>
      <Control
        of={element}
        block={id}
        label={block.label.text}
        invalid={error !== undefined}
        describedBy={described}
        value={edited === undefined ? keptValue(values?.[id]?.[element.action_id ?? '']) : edited}
        onChange={(value) => edit?.(id, value, block.dispatch_action === true)}
      />
      {/^token\b/.test(id) ? <TokenOffer block={id} /> : null}
      <div id={described}>
        {error ? (
          <p class="error" role="alert">
            {error}
          </p>
        ) : null}
        {block.hint ? <p class="hint">{block.hint.text}</p> : null}
      </div>
    </div>
  );
}

function Block({ block }: { block: KnownBlock }) {
  const id = block.block_id ?? '';
  switch (block.type) {
    case 'header':
      return <h3 class="block header">{block.text.text}</h3>;
    case 'section':
      return <Section block={block} id={id} />;
    case 'context':
      return <Context block={block} />;
    case 'divider':
      return <hr class="block" />;
    case 'rich_text':
      return <RichText block={block} />;
    case 'actions':
      return (
        <div class="block actions">
          {block.elements.map((element) => (
            <Element key={element.action_id} of={element} block={id} />
          ))}
        </div>
      );
    case 'input':
      return <Input block={block} id={id} />;
    case 'image':
      return <p class="block quiet">[{block.alt_text}]</p>;
    default:
      return <p class="block quiet">A block the sandbox does not draw: {block.type}</p>;
  }
}

export function Blocks({ of }: { of: readonly object[] }) {
  // The stand-in Slack validated every block by Slack's own rules before storing it.
  const blocks = of as readonly KnownBlock[];
  return (
    <div class="blocks">
      {blocks.map((block, at) => (
        <Block key={block.block_id ?? `${at}`} block={block} />
      ))}
    </div>
  );
}

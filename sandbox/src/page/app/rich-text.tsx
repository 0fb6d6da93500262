import type { RichTextBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import type { ComponentChildren } from 'preact';
import { ChannelLink, DateText, Link, Mention } from './text.js';

interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
}

function styled(children: ComponentChildren, style: Style | undefined): ComponentChildren {
  let shown = children;
  if (style?.code) shown = <code>{shown}</code>;
  if (style?.strike) shown = <s>{shown}</s>;
  if (style?.italic) shown = <i>{shown}</i>;
  return style?.bold ? <b>{shown}</b> : shown;
}

function Element({ of }: { of: RichTextElement }) {
  switch (of.type) {
    case 'text':
      return <>{styled(of.text, of.style)}</>;
    case 'link':
      return <Link url={of.url}>{styled(of.text ?? of.url, of.style)}</Link>;
    case 'user':
      return <Mention id={of.user_id} />;
    case 'channel':
      return <ChannelLink id={of.channel_id} label="" />;
    case 'emoji':
      return <span>:{of.name}:</span>;
    case 'date':
      return <DateText seconds={of.timestamp} format={of.format} />;
    case 'broadcast':
      return <span class="mention me">@{of.range}</span>;
    case 'usergroup':
      return <span class="mention">@group</span>;
    default:
      return null;
  }
}

const inside = (elements: readonly RichTextElement[]) =>
  elements.map((element, at) => <Element key={`${at}`} of={element} />);

function Part({ of }: { of: RichTextBlockElement }) {
  switch (of.type) {
    case 'rich_text_section':
      return <div class="rich">{inside(of.elements)}</div>;
    case 'rich_text_quote':
      return <blockquote class="rich">{inside(of.elements)}</blockquote>;
    case 'rich_text_preformatted':
      return <pre>{inside(of.elements)}</pre>;
    case 'rich_text_list': {
      const rows = of.elements.map((section, at) => <li key={`${at}`}>{inside(section.elements)}</li>);
      const indent = `rich indent-${of.indent ?? 0}`;
      const start = 'offset' in of ? Number(of.offset) + 1 : 1;
      return of.style === 'ordered' ? (
        <ol class={indent} start={start}>
          {rows}
        </ol>
      ) : (
        <ul class={indent}>{rows}</ul>
      );
    }
    default:
      return null;
  }
}

export function RichText({ block }: { block: RichTextBlock }) {
  return (
    <div class="block rich-text">
      {block.elements.map((element, at) => (
        <Part key={`${at}`} of={element} />
      ))}
    </div>
  );
}

const ellipsis = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

// A joiner stays only between two pictographs, where it makes one emoji of them.
const looseJoiner =
  /(?<!\p{Extended_Pictographic}[\u{FE0F}\u{1F3FB}-\u{1F3FF}]?)\u{200D}|\u{200D}(?!\p{Extended_Pictographic})/gu;
// Control and format characters: bidi overrides, zero widths, tags, null bytes.
const unseen = /(?![\n\u{200D}])[\p{Cc}\p{Cf}]/gu;
// Invisible letters.
const blanks = /\u{034F}|\u{115F}|\u{1160}|\u{17B4}|\u{17B5}|\u{2800}|\u{3164}|\u{FFA0}/gu;
const pileOfMarks = /(\p{M}{6})\p{M}+/gu;

// More than any part of a message can hold.
const longest = 20_000;

/** Text without invisible characters and direction overrides; line breaks stay. */
export function clean(text: string): string {
  return text
    .slice(0, longest)
    .replace(/\r\n?|\u{2028}|\u{2029}|\u{0085}/gu, '\n')
    .replaceAll('\t', ' ')
    .replace(/\p{Cs}/gu, '\u{FFFD}')
    .replace(blanks, '')
    .replace(looseJoiner, '')
    .replace(unseen, '')
    .replace(pileOfMarks, '$1');
}

/** The same on one line, for names and titles. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/gu, ' ').trim();
}

/** Slack's three control characters as entities. */
export function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function fromEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** At most `max` characters after escaping; cut between graphemes with an ellipsis. */
export function clip(text: string, max: number): string {
  if (text.length <= max && entities(text).length <= max) return text;
  const room = max - ellipsis.length;
  let kept = '';
  let used = 0;
  // One more than fits is enough, however long the text is.
  for (const { segment } of graphemes.segment(text.slice(0, max + 1))) {
    used += entities(segment).length;
    if (used > room) break;
    kept += segment;
  }
  return room < 0 ? '' : kept.trimEnd() + ellipsis;
}

/** For text that people edit and send back: shortened if necessary, otherwise unchanged. */
export function cut(text: string, max: number): string {
  const whole = text.replaceAll('\u{0000}', '').replace(/\p{Cs}/gu, '\u{FFFD}');
  if (whole.length <= max) return whole;
  let kept = '';
  for (const { segment } of graphemes.segment(whole.slice(0, max + 1))) {
    if (kept.length + segment.length > max) break;
    kept += segment;
  }
  return kept;
}

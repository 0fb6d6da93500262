const hues = [12, 205, 150, 275, 40, 330];

/** Initials on their own color; nothing is fetched. */
export function Avatar({ name, bot = false }: { name: string; bot?: boolean }) {
  if (bot) return <img class="avatar" src="/icon.svg" alt="" width={36} height={36} />;
  const initials = name
    .split(' ')
    .map((word) => word.charAt(0))
    .join('')
    .slice(0, 2);
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span class="avatar initials" aria-hidden="true" style={{ '--hue': String(hues[sum % hues.length] ?? 12) }}>
      {initials}
    </span>
  );
}

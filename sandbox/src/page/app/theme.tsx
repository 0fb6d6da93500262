import { useState } from 'preact/hooks';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const stored = (): Theme => themes.find((theme) => theme === localStorage.getItem('theme')) ?? 'system';

export function applyTheme(theme: Theme = stored()): void {
  document.documentElement.dataset['theme'] = theme;
  localStorage.setItem('theme', theme);
}

export function ThemeSwitch() {
  const [theme, setTheme] = useState(stored());
  const choose = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <fieldset class="theme">
      <legend class="hidden">Colors</legend>
      {themes.map((each) => (
        <label key={each} class={each === theme ? 'chosen' : ''}>
          <input type="radio" name="theme" checked={each === theme} onChange={() => choose(each)} />
          {each}
        </label>
      ))}
    </fieldset>
  );
}

import { useState } from 'preact/hooks';
import type { Verb } from '../wire.js';
import * as api from './api.js';
import { clock } from './dates.js';
import { toast, useApp } from './store.js';
import { Link } from './text.js';

const deeds: readonly { verb: Verb; label: string }[] = [
  { verb: 'issue', label: 'Open an issue' },
  { verb: 'comment', label: 'Comment' },
  { verb: 'push', label: 'Push' },
  { verb: 'pull', label: 'Open a PR' },
  { verb: 'review', label: 'Request a review' },
  { verb: 'merge', label: 'Merge' },
  { verb: 'fail', label: 'Fail a run' },
  { verb: 'pass', label: 'Pass a run' },
  { verb: 'stick', label: 'Get a run stuck' },
];

function Select(props: { label: string; value: string; all: readonly string[]; onChange: (value: string) => void }) {
  return (
    <label>
      {props.label}
      <select class="field" value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.all.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}

/** Triggers activity on the forge, as someone who works there and not in Slack. */
export function ForgePanel() {
  const { forge } = useApp();
  const [repo, setRepo] = useState('acme/engine');
  const [as, setAs] = useState('grace');
  const [title, setTitle] = useState('');
  const make = async (verb: Verb) => {
    const { ok, error } = await api.happen({ verb, as, repo, ...(title.trim() ? { title } : {}) });
    if (!ok) toast(error ?? 'The forge did not accept this. Try again.');
    setTitle('');
  };
  return (
    <section class="forge" aria-label="Forge activity">
      <p class="lead">Make something happen on the forge, then watch the channel.</p>
      <div class="pair">
        <Select label="Repository" value={repo} all={forge.repos} onChange={setRepo} />
        <Select label="Done by" value={as} all={forge.people} onChange={setAs} />
      </div>
      <label>
        Title (optional)
        <input
          type="text"
          class="field"
          value={title}
          placeholder="A title, a message, a comment"
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      <div class="deeds">
        {deeds.map(({ verb, label }) => (
          <button key={verb} type="button" class="button" onClick={() => make(verb)}>
            {label}
          </button>
        ))}
      </div>
      <h3>Just happened</h3>
      <ul class="happened" aria-live="polite">
        {forge.happened.length === 0 ? <li class="quiet">Nothing yet.</li> : null}
        {forge.happened.map(({ at, said, url }) => (
          <li key={`${at} ${said}`}>
            <time>{clock(new Date(at))}</time> <Link url={url}>{said}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

import { useEffect } from 'preact/hooks';
import { Blocks } from './blocks.js';
import { Conversation, Thread } from './conversation.js';
import { ForgePanel } from './forge-panel.js';
import { Form } from './form.js';
import { Sidebar } from './sidebar.js';
import { change, current, go, useApp } from './store.js';
import { SurfaceContext } from './surface.js';
import { Tour } from './tour.js';

function Home() {
  const { home } = useApp();
  return (
    <main class="room" aria-label="Bellows Home">
      <header class="room-head">
        <button type="button" class="plain drawer" aria-label="Channels" onClick={() => change({ drawer: 'rooms' })}>
          ☰
        </button>
        <h1>⌂ Bellows</h1>
        <span class="quiet">Home</span>
      </header>
      <div class="messages home">
        {home === null ? (
          <p class="welcome">Your Home has not loaded yet.</p>
        ) : (
          <SurfaceContext.Provider value={{ place: { in: 'home' }, values: home.values, errors: home.errors }}>
            <Blocks of={home.blocks} />
          </SurfaceContext.Provider>
        )}
      </div>
    </main>
  );
}

function Panel() {
  const { panel } = useApp();
  const tabs = [
    { id: 'tour', label: 'Tour' },
    { id: 'forge', label: 'Forge' },
  ] as const;
  return (
    <aside class="panel" aria-label="Sandbox">
      <div class="tabs" role="tablist">
        {tabs.map(({ id, label }) => (
          <button key={id} type="button" role="tab" aria-selected={panel === id} onClick={() => change({ panel: id })}>
            {label}
          </button>
        ))}
        <button type="button" class="plain drawer" aria-label="Close panel" onClick={() => change({ drawer: 'none' })}>
          ×
        </button>
      </div>
      {panel === 'tour' ? <Tour /> : <ForgePanel />}
    </aside>
  );
}

/** Alt and an arrow moves through the channels; a slash focuses the composer. */
function onKeyDown(event: KeyboardEvent): void {
  const { team, where, thread, form } = current();
  if (form !== null) return;
  const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.altKey && step !== undefined && team !== undefined) {
    event.preventDefault();
    const at = team.channels.findIndex(({ id }) => where.in === 'channel' && id === where.id);
    const next = team.channels.at((at + step) % team.channels.length);
    if (next) go({ in: 'channel', id: next.id });
  } else if (event.key === 'Escape' && thread !== undefined) change({ thread: undefined });
  else if (event.key === '/' && !typing) {
    event.preventDefault();
    document.querySelector<HTMLTextAreaElement>('.room .composer textarea')?.focus();
  }
}

export function Shell() {
  const { team, where, thread, form, drawer, toast, online } = useApp();
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const channel = where.in === 'channel' ? team?.channels.find(({ id }) => id === where.id) : undefined;
  return (
    <div class={`shell drawer-${drawer} ${thread === undefined ? '' : 'with-thread'}`}>
      <Sidebar />
      {where.in === 'home' ? <Home /> : channel ? <Conversation channel={channel} /> : <main class="room" />}
      {thread !== undefined && channel ? <Thread channel={channel} ts={thread} /> : null}
      <Panel />
      {form === null ? null : <Form key={form.id} view={form} />}
      <div class="toasts" role="status">
        {online ? null : <p class="toast">The sandbox is not responding. Trying again…</p>}
        {toast ? <p class="toast">{toast}</p> : null}
      </div>
    </div>
  );
}

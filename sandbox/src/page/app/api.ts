import type { Act, ActResult, Happening, Piece } from '../wire.js';

async function post<T>(path: string, body: object): Promise<T> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

const away = { ok: false, error: 'The sandbox is not responding. Is it still running?' };

export const act = (as: string, what: Act): Promise<ActResult> =>
  post<ActResult>('/api/act', { as, act: what }).catch(() => away);

export const happen = (what: Happening): Promise<{ ok: boolean; said?: string; error?: string }> =>
  post<{ ok: boolean; said?: string; error?: string }>('/api/forge', what).catch(() => away);

/** Calls back with every piece that changed, until stopped. */
export function follow(as: string, hear: (piece: Piece) => void, online: (yes: boolean) => void): () => void {
  const source = new EventSource(`/api/live?as=${as}`);
  source.onopen = () => online(true);
  source.onerror = () => online(false);
  source.onmessage = ({ data }) => hear(JSON.parse(data));
  return () => source.close();
}

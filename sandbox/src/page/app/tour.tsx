import type { TourOffer, TourStep } from '../wire.js';
import { setDraft } from './composer.js';
import { be, change, channelNamed, current, go, useApp } from './store.js';

/** Goes there as that person, with the text ready to be sent. */
function take({ as, channel, type, panel }: TourOffer): void {
  const who = current().team?.people.find(({ name }) => name === as);
  if (who !== undefined && who.id !== current().me) be(who.id);
  const id = channelNamed(channel);
  if (id === undefined) return;
  go({ in: 'channel', id });
  if (panel !== undefined) change({ panel });
  if (type !== undefined) setDraft(id, undefined, type);
}

function Step({ step, at, now }: { step: TourStep; at: number; now: boolean }) {
  return (
    <li class={`step ${step.done ? 'done' : ''} ${now ? 'now' : ''}`} aria-current={now ? 'step' : undefined}>
      <span class="mark" aria-hidden="true">
        {step.done ? '✓' : at + 1}
      </span>
      <div>
        <h3>
          {step.title}
          {step.done ? <span class="hidden"> (done)</span> : null}
        </h3>
        {now ? <p>{step.text}</p> : null}
        {now
          ? step.offers.map((offer) => (
              <button key={offer.label} type="button" class="button" onClick={() => take(offer)}>
                {offer.type === undefined ? '' : 'Type '}
                {offer.type === undefined ? offer.label : <code>{offer.label}</code>}
              </button>
            ))
          : null}
      </div>
    </li>
  );
}

export function Tour() {
  const { tour } = useApp();
  const next = tour.find(({ done }) => !done);
  const done = tour.filter((step) => step.done).length;
  return (
    <section class="tour" aria-label="Tour">
      <p class="lead">
        {next === undefined
          ? 'That was the tour. Everything else is yours to try.'
          : 'Each step is checked off once you have done it.'}
      </p>
      <progress max={tour.length} value={done} aria-label={`${done} of ${tour.length} done`} />
      <ol>
        {tour.map((step, at) => (
          <Step key={step.id} step={step} at={at} now={step === next} />
        ))}
      </ol>
    </section>
  );
}

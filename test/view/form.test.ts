import { describe, expect, it } from 'vitest';
import { checkboxes, divider, errorModal, home, input, loadingModal, modal, textInput } from './view.js';

describe('forms and home', () => {
  it('keep to their limits', () => {
    const view = modal({
      title: 'A title that is much longer than Slack allows',
      callbackId: 'form',
      blocks: [
        input({ id: 'title', label: 'Title', element: textInput({ action: 'title' }) }),
        input({
          id: 'ok',
          label: 'Sure?',
          element: checkboxes({ action: 'ok', choices: [{ value: 'y', label: 'Yes' }] }),
        }),
      ],
    });
    expect(view.title.text.length).toBeLessThanOrEqual(24);
    expect(view.submit?.text).toBe('Save');
    expect(home(Array.from({ length: 120 }, () => divider())).blocks).toHaveLength(100);
  });

  it('refuse metadata that would be cut', () => {
    expect(() => modal({ title: 'x', blocks: [], privateMetadata: 'x'.repeat(3001) })).toThrow(RangeError);
  });

  it('load at once and fail with advice', () => {
    expect(loadingModal({ title: 'Edit issue' }).submit).toBeUndefined();
    const failed = errorModal({ title: 'Edit issue', text: 'No issue #12 <!here>.', next: 'Check the number.' });
    expect(JSON.stringify(failed.blocks)).toContain('No issue #12 &lt;!here&gt;.');
    expect(JSON.stringify(failed.blocks)).toContain('Check the number.');
  });
});

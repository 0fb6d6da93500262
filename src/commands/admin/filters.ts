/** The statuses runs and jobs are filtered by; what is reported reads otherwise. */
export const filters = ['pending', 'queued', 'in_progress', 'failure', 'success', 'skipped', 'cancelled'] as const;

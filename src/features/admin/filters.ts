/** The statuses runs and jobs can be filtered by; reported statuses read differently. */
export const filters = ['pending', 'queued', 'in_progress', 'failure', 'success', 'skipped', 'cancelled'] as const;

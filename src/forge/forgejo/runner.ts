/** Labels are plain strings there, and one status says both whether a runner is online and whether it is busy. */
export function fromForgejoRunner(record: object): object {
  const runner = new Map<string, unknown>(Object.entries(record));
  const labels = runner.get('labels');
  const status = runner.get('status');
  return {
    ...record,
    ...(Array.isArray(labels) && {
      labels: labels.map((label) => (typeof label === 'string' ? { name: label } : label)),
    }),
    ...((status === 'idle' || status === 'active') && { status: 'online', busy: status === 'active' }),
  };
}

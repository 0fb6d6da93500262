import type { User } from './people.js';
import type { Activity } from './records.js';
import type { Repo } from './repo.js';

export type Feed = ReturnType<typeof createFeed>;

/** All activity rows, found by repository and by receiver: a forge with many of both must still answer at once. */
export function createFeed() {
  const byRepo = new Map<Repo, Activity[]>();
  const byReceiver = new Map<User, Activity[]>();
  const add = <Key>(rows: Map<Key, Activity[]>, key: Key, row: Activity) => {
    const known = rows.get(key);
    if (known) known.push(row);
    else rows.set(key, [row]);
  };
  return {
    add(row: Activity): void {
      add(byRepo, row.repo, row);
      add(byReceiver, row.receiver, row);
    },
    ofRepo: (repo: Repo): readonly Activity[] => byRepo.get(repo) ?? [],
    ofReceiver: (user: User): readonly Activity[] => byReceiver.get(user) ?? [],
    forget(repo: Repo): void {
      const receivers = new Set(byRepo.get(repo)?.map(({ receiver }) => receiver));
      for (const receiver of receivers)
        byReceiver.set(
          receiver,
          (byReceiver.get(receiver) ?? []).filter((row) => row.repo !== repo),
        );
      byRepo.delete(repo);
    },
  };
}

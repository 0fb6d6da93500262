import { request } from 'undici';
import { z } from 'zod';
import { playRunner } from './runner.js';
import { authorization, type Ground, type Person, type Repo, type Role } from './server.js';
import { eventually, fresh } from './things.js';

const Numbered = z.object({ number: z.int() });
const WithId = z.object({ id: z.int() });

export function groundOf(url: string, people: Readonly<Record<Role, Person>>): Ground {
  const { root, alice } = people;

  async function must<T extends z.ZodType>(answer: ReturnType<Person['send']>, schema: T): Promise<z.infer<T>> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(`preparing failed with ${status}: ${text}`);
    return schema.parse(text === '' ? undefined : JSON.parse(text));
  }

  function write(by: Person, at: Repo, path: string, text: string, branch?: string) {
    const content = Buffer.from(text).toString('base64');
    const body = { content, message: `add ${path}`, branch: 'main', ...(branch && { new_branch: branch }) };
    return must(by.send('POST', `${within(at)}/contents/${path}`, body), z.unknown());
  }

  return {
    async branch(at, name) {
      await write(alice, at, `${name}.txt`, name, name);
    },
    async commit(at) {
      const name = fresh('file');
      await write(alice, at, `${name}.txt`, name);
    },
    async openPull(at, by, title) {
      const head = fresh('branch');
      await write(people[by], at, `${head}.txt`, head, head);
      const body = { head, base: 'main', title };
      return (await must(people[by].send('POST', `${within(at)}/pulls`, body), Numbered)).number;
    },
    async watch(at, by) {
      await must(people[by].send('PUT', `${within(at)}/subscription`), z.unknown());
    },
    async archive(at) {
      await must(alice.send('PATCH', within(at), { archived: true }), z.unknown());
    },
    async rename(at, name) {
      await must(alice.send('PATCH', within(at), { name }), z.unknown());
    },
    async label(at, name) {
      return (await must(alice.send('POST', `${within(at)}/labels`, { name, color: '#00aabb' }), WithId)).id;
    },
    async milestone(at, title) {
      return (await must(alice.send('POST', `${within(at)}/milestones`, { title }), WithId)).id;
    },
    async project(by, title) {
      return (await must(people[by].send('POST', '/user/projects', { title, template_type: 'basic_kanban' }), WithId))
        .id;
    },
    async package(owner, name, version) {
      const address = `${url}/api/packages/${owner}/generic/${name}/${version}/file.bin`;
      const headers = { authorization: authorization(alice.credential) };
      const answer = await request(address, { method: 'PUT', headers, body: 'content' });
      await answer.body.dump();
      if (answer.statusCode !== 201) throw new Error(`publishing a package: ${answer.statusCode}`);
    },
    async queueRun(at, label) {
      const job = `on: [push]\njobs:\n  build:\n    runs-on: ${label}\n    steps:\n      - run: echo hi\n`;
      const file = `${fresh('flow')}.yml`;
      await write(alice, at, `.gitea/workflows/${file}`, job);
      return eventually(async () => {
        const { items } = await alice.api.runs.list(at);
        const queued = items.find(({ path }) => path.startsWith(file));
        if (!queued) throw new Error('the push queued no run');
        return queued.id;
      });
    },
    async workflow(at, file, text, branch) {
      await write(alice, at, `.gitea/workflows/${file}`, text, branch);
    },
    async runner(label) {
      const { token } = await root.api.admin.createRegistrationToken();
      return playRunner(url, token, fresh('builder'), label);
    },
  };
}

function within({ owner, repo }: Repo): string {
  return `/repos/${owner}/${repo}`;
}

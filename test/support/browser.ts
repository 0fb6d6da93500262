import { request } from 'undici';

/** A minimal browser: keeps cookies, posts forms and follows no redirects. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  async send(address: string, form?: Readonly<Record<string, string>>) {
    const { statusCode, headers, body } = await request(address, {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form === undefined
          ? {}
          : {
              'content-type': 'application/x-www-form-urlencoded',
              origin: new URL(address).origin,
              'sec-fetch-site': 'same-origin',
            }),
      },
      ...(form === undefined ? {} : { body: String(new URLSearchParams(form)) }),
    });
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return { status: statusCode, headers, text: await body.text() };
  }

  /** Submits the consent form unchanged, with the clicked button. */
  post(home: string, page: string, clicked: Readonly<Record<string, string>>) {
    const [, action = '', inside = ''] =
      /<form[^>]* action="([^"]*\/oauth\/grant)">([\s\S]*?)<\/form>/.exec(page) ?? [];
    const hidden = [...inside.matchAll(/<input[^>]* name="([^"]*)" value="([^"]*)"/g)];
    const fields = hidden.map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&#43;', '+').replaceAll('&amp;', '&'),
    ]);
    return this.send(`${home}${action}`, { ...Object.fromEntries(fields), ...clicked });
  }
}

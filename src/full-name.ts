/** `acme/engine` as calls want it. */
export function splitFullName(fullName: string): { readonly owner: string; readonly repo: string } {
  const [owner = '', repo = ''] = fullName.split('/');
  return { owner, repo };
}

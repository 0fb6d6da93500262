/** `acme/engine` split for API calls. */
export function splitFullName(fullName: string): { readonly owner: string; readonly repo: string } {
  const [owner = '', repo = ''] = fullName.split('/');
  return { owner, repo };
}

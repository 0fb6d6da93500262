interface Visible {
  readonly private: boolean;
  readonly internal: boolean;
  readonly owner?: { readonly visibility: string } | null | undefined;
}

/** A server without the notion says nothing, and hides nobody. */
const open: ReadonlySet<string> = new Set(['', 'public']);

/** Whether not everyone may see it: private, internal, or of a private or limited owner. The one rule there is. */
export const isHidden = ({ private: isPrivate, internal, owner }: Visible): boolean =>
  isPrivate || internal || !owner || !open.has(owner.visibility);

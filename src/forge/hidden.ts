interface Visible {
  readonly private: boolean;
  readonly internal: boolean;
  readonly owner?: { readonly visibility: string } | null | undefined;
}

/** A server without visibility says nothing, and hides nobody. */
const open: ReadonlySet<string> = new Set(['', 'public']);

/** Whether it is not visible to everyone: private, internal, or of a private or limited owner. The only rule for this. */
export const isHidden = ({ private: isPrivate, internal, owner }: Visible): boolean =>
  isPrivate || internal || !owner || !open.has(owner.visibility);

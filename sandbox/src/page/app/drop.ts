import { useLayoutEffect, useRef } from 'preact/hooks';

const tall = 280;
const wide = 420;
const margin = 8;

/** Under the field, or above it where there is more room; never outside the form or the window. */
function place(list: HTMLElement, field: Element): void {
  const { left, top, bottom, width } = field.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const edge = (field.closest('dialog')?.getBoundingClientRect().right ?? clientWidth) - 2 * margin;
  list.style.width = `${Math.max(width, Math.min(wide, edge - left))}px`;
  list.style.left = `${left}px`;
  const [above, below] = [top - 2 * margin, clientHeight - bottom - 2 * margin];
  const up = below < Math.min(list.scrollHeight, tall) && above > below;
  list.style.maxHeight = `${Math.min(tall, up ? above : below)}px`;
  list.style.top = `${up ? top - 4 - list.offsetHeight : bottom + 4}px`;
}

/** For a list that nothing around its field may cut off. */
export function useDrop(open: boolean) {
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const follow = () => {
    if (list.current && field.current) place(list.current, field.current);
  };
  // After every change: a list that got shorter or longer may fit elsewhere.
  useLayoutEffect(follow);
  useLayoutEffect(() => {
    if (!open) return;
    window.addEventListener('scroll', follow, true);
    window.addEventListener('resize', follow);
    return () => {
      window.removeEventListener('scroll', follow, true);
      window.removeEventListener('resize', follow);
    };
  }, [open]);
  return { list, field };
}

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons/icon.tsx'
import { StepButtons } from './table/open-row.tsx'

type Props = { title: string; onClose: () => void; children: ComponentChildren; isDrawer?: boolean }

const FIELDS = 'input:not([type=hidden]), select, textarea'

/**
 * The browser keeps the focus inside and closes it with Escape. The focus begins in the first field, or at the title if the
 * dialog is there to be read, and goes back to where it was.
 */
export function Dialog({ title, onClose, children, isDrawer }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const isShown = useRef(false)
  useLayoutEffect(() => {
    const dialog = ref.current!
    const before = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      // The browser gives the focus back while the element is still there, and takes it away when the element goes.
      queueMicrotask(() => focusAgain(before))
    }
  }, [])
  // Another title is another step of the same dialog: what had the focus may be gone. A drawer gets its title with its data, and
  // its reader may have moved on.
  useLayoutEffect(() => {
    const dialog = ref.current!
    const isInUse = isShown.current && isDrawer && dialog.contains(document.activeElement)
    isShown.current = true
    if (!isInUse) focusFirst(dialog, isDrawer)
  }, [title])
  useEffect(() => keepFocusIn(ref.current!), [])
  const closeOutside = (event: MouseEvent) => {
    if (event.target === ref.current) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key for the same is Escape, which the browser handles
    <dialog
      ref={ref}
      class={isDrawer ? 'drawer' : ''}
      aria-labelledby="dialog-title"
      onClick={closeOutside}
      onCancel={onClose}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title" tabIndex={-1}>
            {title}
          </h2>
          {isDrawer && <StepButtons />}
          <button type="button" class="quiet" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

/** A drawer shows something, and its forms are far below. */
function focusFirst(dialog: HTMLDialogElement, isDrawer = false): void {
  const { activeElement: at } = document
  // The button that led from another row to this one has the focus already, and leads to the next one.
  if (at instanceof HTMLElement && at.autofocus && dialog.contains(at)) return
  const field = isDrawer ? null : dialog.querySelector<HTMLElement>(`:is(${FIELDS}):not(:disabled)`)
  const heading = dialog.querySelector<HTMLElement>('#dialog-title')
  ;(field ?? heading)?.focus()
}

/** A row that is removed takes its button with it, which had the focus: the nearest control that is left has it then. */
function keepFocusIn(dialog: HTMLDialogElement): () => void {
  let path: Element[] = []
  const focused = ({ target }: FocusEvent) => {
    path = ancestorsOf(target as Element, dialog)
  }
  const observer = new MutationObserver(() => {
    if (document.activeElement !== document.body || !path[0] || path[0].isConnected) return
    const left = path.find((element) => element.isConnected)
    left?.querySelector<HTMLElement>(`:is(${FIELDS}, button):not(:disabled)`)?.focus()
  })
  dialog.addEventListener('focusin', focused)
  observer.observe(dialog, { childList: true, subtree: true })
  return () => {
    dialog.removeEventListener('focusin', focused)
    observer.disconnect()
  }
}

/** The element itself first. */
function ancestorsOf(element: Element, last: Element): Element[] {
  const parent = element.parentElement
  return element === last || !parent ? [element] : [element, ...ancestorsOf(parent, last)]
}

/** What opened the dialog may be gone with what was done in it, and an address that opens one has nothing before it. */
function focusAgain(before: Element | null): void {
  const outer = document.querySelector<HTMLElement>('dialog[open] #dialog-title')
  // The dialog that took its place has the focus already.
  if (outer?.closest('dialog')?.contains(document.activeElement)) return
  const heading = outer ?? document.querySelector<HTMLElement>('main h1')
  const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body
  ;(isThere ? before : heading)?.focus()
}

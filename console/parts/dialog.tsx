import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
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

/** What opened the dialog may be gone with what was done in it, and an address that opens one has nothing before it. */
function focusAgain(before: Element | null): void {
  const outer = document.querySelector<HTMLElement>('dialog[open] #dialog-title')
  const heading = outer ?? document.querySelector<HTMLElement>('main h1')
  const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body
  ;(isThere ? before : heading)?.focus()
}

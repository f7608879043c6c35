import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { StepButtons } from './table/open-row.tsx'

type Props = { title: string; onClose: () => void; children: ComponentChildren; isDrawer?: boolean }

/** The browser keeps the focus inside, closes it with Escape and gives the focus back. */
export function Dialog({ title, onClose, children, isDrawer }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current!
    dialog.showModal()
    return () => dialog.close()
  }, [])
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
          <h2 id="dialog-title">{title}</h2>
          {isDrawer && <StepButtons />}
          <button type="button" class="quiet" onClick={onClose} aria-label="Close">
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

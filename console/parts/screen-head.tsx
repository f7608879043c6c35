import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

let isFirst = true

/** The title of a screen. After a change of screens it gets the focus, so that a screen reader says where the person is. */
export function ScreenHead({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Gatehouse`
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [title])
  return (
    <header class="screen-head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <div class="actions">{children}</div>
    </header>
  )
}

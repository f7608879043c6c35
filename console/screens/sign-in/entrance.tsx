import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Mark } from '../../parts/icons/mark.tsx'

type Props = { title: string; children: ComponentChildren; after?: ComponentChildren }

/** The frame of pages for people who have not signed in yet: a card, and what stands below it. */
export function Entrance({ title, children, after }: Props) {
  useEffect(() => {
    document.title = `${title} · Gatehouse`
  }, [title])
  return (
    <main class="entrance">
      <div class="entrance-card">
        <p class="brand">
          <Mark /> Gatehouse
        </p>
        <h1>{title}</h1>
        {children}
      </div>
      {after}
    </main>
  )
}

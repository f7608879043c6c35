import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** The frame of pages for people who have not signed in yet. */
export function Entrance({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Gatehouse`
  }, [title])
  return (
    <main class="entrance">
      <p class="brand">Gatehouse</p>
      <h1>{title}</h1>
      {children}
    </main>
  )
}

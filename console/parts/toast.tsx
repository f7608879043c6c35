import { signal } from '@preact/signals'

type Toast = { id: number; text: string; kind: 'good' | 'bad' }

const SHOWN_MS = 6_000
const shown = signal<readonly Toast[]>([])
let lastId = 0

/** Says that something has happened, without taking the focus. */
export function toast(text: string, kind: Toast['kind'] = 'good'): void {
  const id = ++lastId
  shown.value = [...shown.value, { id, text, kind }]
  setTimeout(() => (shown.value = shown.value.filter((one) => one.id !== id)), SHOWN_MS)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ id, text, kind }) => (
        <p key={id} class={`toast ${kind}`}>
          {text}
        </p>
      ))}
    </div>
  )
}

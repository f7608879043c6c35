import { useState } from 'preact/hooks'

type Props = {
  /** What the first button says, and what the second one says. */
  label: string
  sure: string
  onSure: () => void
  /** For what can be taken back. */
  isHarmless?: boolean
}

/** What is not easy to undo takes two steps. */
export function TwoSteps({ label, sure, onSure, isHarmless }: Props) {
  const [isAsked, setAsked] = useState(false)
  const look = isHarmless ? '' : 'danger'
  if (!isAsked)
    return (
      <button type="button" class={look} onClick={() => setAsked(true)}>
        {label}
      </button>
    )
  const go = () => {
    setAsked(false)
    onSure()
  }
  return (
    <div class="actions">
      <button type="button" class={look} onClick={go}>
        {sure}
      </button>
      <button type="button" onClick={() => setAsked(false)}>
        Keep it
      </button>
    </div>
  )
}

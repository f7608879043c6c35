import { useLayoutEffect, useRef, useState } from 'preact/hooks'

type Props = {
  /** What the first button says, and what the second one says. */
  label: string
  sure: string
  onSure: () => void
  /** For what can be taken back. */
  isHarmless?: boolean
}

/** What is not easy to undo takes two steps. The focus stays with the question, and comes back to the button. */
export function TwoSteps({ label, sure, onSure, isHarmless }: Props) {
  const [isAsked, setAsked] = useState<boolean>()
  const button = useRef<HTMLButtonElement>(null)
  const look = isHarmless ? '' : 'danger'
  useLayoutEffect(() => {
    if (isAsked !== undefined) button.current?.focus()
  }, [isAsked])
  if (!isAsked)
    return (
      <button key="first" ref={button} type="button" class={look} onClick={() => setAsked(true)}>
        {label}
      </button>
    )
  const go = () => {
    setAsked(false)
    onSure()
  }
  return (
    <div class="actions">
      <button key="sure" ref={button} type="button" class={look} onClick={go}>
        {sure}
      </button>
      <button type="button" onClick={() => setAsked(false)}>
        Cancel
      </button>
    </div>
  )
}

type Props = { label: string; isRunning: boolean; isReady?: boolean; onStop: () => void }

/** Asks models, and while they answer, stops them. One button, so that the focus stays on it. */
export function RunButton({ label, isRunning, isReady = true, onStop }: Props) {
  const stop = (event: MouseEvent) => {
    if (!isRunning) return
    event.preventDefault()
    onStop()
  }
  return (
    <button type="submit" class={isRunning ? '' : 'primary'} disabled={!isRunning && !isReady} onClick={stop}>
      {isRunning ? 'Stop' : label}
    </button>
  )
}

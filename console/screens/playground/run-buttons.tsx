type Props = { label: string; isRunning: boolean; onStop: () => void }

/** The button of a form that asks models, and while they answer, one that stops them. */
export function RunButtons({ label, isRunning, onStop }: Props) {
  if (isRunning)
    return (
      <button type="button" onClick={onStop}>
        Stop
      </button>
    )
  return (
    <button type="submit" class="primary">
      {label}
    </button>
  )
}

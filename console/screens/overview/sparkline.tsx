const [WIDTH, HEIGHT] = [100, 28]

/** How an amount went over the time of the screen. The number beside it says how much it is. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(...values)
  if (values.length < 2 || most <= 0) return null
  const step = WIDTH / (values.length - 1)
  const points = values.map((value, at) => `${(at * step).toFixed(1)} ${(HEIGHT * (1 - value / most)).toFixed(1)}`)
  const line = `M${points.join('L')}`
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
      <path class="line" d={line} />
    </svg>
  )
}

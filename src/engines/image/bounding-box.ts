import type { Box } from '../../engine-api/engines.ts'

type Point = { x: number; y: number }

const DECIMALS = 4

/** The upright box around some points, as fractions of the page. What sticks out of the page is cut off. */
export function boxAround(points: readonly Point[], page: { width: number; height: number }): Box {
  const [left, right] = edges(points.map(({ x }) => x / page.width))
  const [top, bottom] = edges(points.map(({ y }) => y / page.height))
  return { left: rounded(left), top: rounded(top), width: rounded(right - left), height: rounded(bottom - top) }
}

function edges(values: number[]): [number, number] {
  const within = values.map((value) => Math.min(1, Math.max(0, value)))
  return [Math.min(...within), Math.max(...within)]
}

/** Smaller numbers are written differently by different JSON writers, which breaks signatures of webhooks. */
function rounded(value: number): number {
  return Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS
}

import type { Box } from '../../engine-api/engines.ts'

type Point = { x: number; y: number }

const DECIMALS = 4

/** The axis-aligned box around some points, as fractions of the page, clipped to the page. */
export function boxAround(points: readonly Point[], page: { width: number; height: number }): Box {
  const [left, right] = edges(points.map(({ x }) => x / page.width))
  const [top, bottom] = edges(points.map(({ y }) => y / page.height))
  return { left: rounded(left), top: rounded(top), width: rounded(right - left), height: rounded(bottom - top) }
}

function edges(values: number[]): [number, number] {
  const within = values.map((value) => Math.min(1, Math.max(0, value)))
  return [Math.min(...within), Math.max(...within)]
}

/** JSON writers format smaller numbers differently, which would break webhook signatures. */
function rounded(value: number): number {
  return Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS
}

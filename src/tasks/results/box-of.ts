import Type, { type Static } from '../../schema/type.ts'
import { score } from '../fields/score.ts'
import type { Size } from '../inputs/pixel-size.ts'

export type Point = { x?: number; y?: number }

/** The box around some points, as fractions of a page or an image; the size is 1 for points that are fractions already. */
export function boxOf(points: readonly Point[], width = 1, height = 1) {
  const across = points.map(({ x = 0 }) => inside(x / width))
  const down = points.map(({ y = 0 }) => inside(y / height))
  const [left, top] = [Math.min(...across), Math.min(...down)]
  return {
    left: score(left),
    top: score(top),
    width: score(Math.max(...across) - left),
    height: score(Math.max(...down) - top),
  }
}

function inside(fraction: number): number {
  return Math.min(1, Math.max(0, fraction))
}

/** The box with this corner and these sides, as fractions; what is outside of the image is cut off. */
export function boxAt(left: number, top: number, width: number, height: number) {
  return boxOf([
    { x: left, y: top },
    { x: left + width, y: top + height },
  ])
}

/** `[x, y, x, y, …]` */
export function pointsIn(polygon: readonly number[]): Point[] {
  return Array.from({ length: polygon.length >> 1 }, (_, index) => ({
    x: polygon[2 * index]!,
    y: polygon[2 * index + 1]!,
  }))
}

export type Box = ReturnType<typeof boxOf>

/** The same position by its two corners. */
export function extentOf({ left, top, width, height }: Box) {
  return { x_min: left, x_max: score(left + width), y_min: top, y_max: score(top + height) }
}

export const Rectangle = Type.Object({
  left: Type.Number(),
  top: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
})

/** Converts a position in pixels to fractions of the image; unknown if the size of the image is. */
export function pixelBox({ left, top, width, height }: Static<typeof Rectangle>, size: Size | null): Box | null {
  const corners = [
    { x: left, y: top },
    { x: left + width, y: top + height },
  ]
  return size && boxOf(corners, size.width, size.height)
}

export const NOWHERE = { left: null, top: null, width: null, height: null }

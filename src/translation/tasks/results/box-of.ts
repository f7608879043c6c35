import Type, { type Static } from '../../../base/schema/type.ts'
import { score } from '../fields/score.ts'
import type { Size } from '../inputs/pixel-size.ts'

type Point = { x?: number; y?: number }

export type Box = { left: number; top: number; width: number; height: number }

/**
 * The box around some points, as fractions of a page or an image; the size is 1 for points that are fractions already. Null if
 * that cannot be known: there are no points, or the image has no size.
 */
export function boxOf(points: readonly Point[], width = 1, height = 1): Box | null {
  const across = sideOf(points.map(({ x = 0 }) => x / width))
  const down = sideOf(points.map(({ y = 0 }) => y / height))
  return across && down && { left: across.start, top: down.start, width: across.length, height: down.length }
}

/** From the first to the last of these places, as far as they are inside. There may be too many of them for one call. */
function sideOf(places: readonly number[]): { start: number; length: number } | null {
  const finite = places
    .filter((coordinate) => Number.isFinite(coordinate))
    .map((coordinate) => Math.min(1, Math.max(0, coordinate)))
  if (finite.length === 0) return null
  const start = finite.reduce((least, coordinate) => Math.min(least, coordinate))
  return { start: score(start), length: score(finite.reduce((most, coordinate) => Math.max(most, coordinate)) - start) }
}

/** The box with this corner and these sides, as fractions; what is outside of the image is cut off. */
export function boxAt(left: number, top: number, width: number, height: number): Box {
  const corners = [
    { x: left, y: top },
    { x: left + width, y: top + height },
  ]
  return boxOf(corners) ?? { left: 0, top: 0, width: 0, height: 0 }
}

/** `[x, y, x, y, …]` */
export function pointsIn(polygon: readonly number[]): Point[] {
  return Array.from({ length: polygon.length >> 1 }, (_, index) => ({
    x: polygon[2 * index]!,
    y: polygon[2 * index + 1]!,
  }))
}

/** The same position by its two corners. */
export function extentOf({ left, top, width, height }: Box) {
  return { x_min: left, x_max: score(left + width), y_min: top, y_max: score(top + height) }
}

/** The four corners of a position, clockwise from the upper left one. */
export function cornersOf({ x_min, x_max, y_min, y_max }: ReturnType<typeof extentOf>) {
  return [
    { x: x_min, y: y_min },
    { x: x_max, y: y_min },
    { x: x_max, y: y_max },
    { x: x_min, y: y_max },
  ]
}

export const NO_EXTENT = { x_min: null, x_max: null, y_min: null, y_max: null }

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

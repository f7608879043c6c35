import type { Fields } from '../../base/schema/record.ts'

type Bound = { value: number; open: boolean }

/** The smallest number that the schema allows, or the one nearest to zero if there is no lower bound. */
export function numberFromSchema(schema: Fields): number | undefined {
  const low = bound(schema.minimum, schema.exclusiveMinimum, Math.max)
  const high = bound(schema.maximum, schema.exclusiveMaximum, Math.min)
  const step = stepOf(schema)
  const found = step === undefined ? anyBetween(low, high) : step * multipleBetween(low, high, step)
  return fits(found, low, high) ? found : undefined
}

function stepOf({ type, multipleOf }: Fields): number | undefined {
  if (typeof multipleOf === 'number' && multipleOf > 0) return multipleOf
  return [type].flat()[0] === 'integer' ? 1 : undefined
}

function bound(closed: unknown, open: unknown, stricter: (one: number, other: number) => number): Bound | undefined {
  if (typeof open !== 'number') return typeof closed === 'number' ? { value: closed, open: open === true } : undefined
  if (typeof closed === 'number' && stricter(closed, open) !== open) return { value: closed, open: false }
  return { value: open, open: true }
}

function multipleBetween(low: Bound | undefined, high: Bound | undefined, step: number): number {
  if (low) return low.open ? Math.floor(low.value / step) + 1 : Math.ceil(low.value / step)
  if (!high || fits(0, low, high)) return 0
  return high.open ? Math.ceil(high.value / step) - 1 : Math.floor(high.value / step)
}

function anyBetween(low: Bound | undefined, high: Bound | undefined): number {
  if (low && high && low.open) return low.value + (high.value - low.value) / 2
  if (low) return low.open ? low.value + 1 : low.value
  if (!high || fits(0, low, high)) return 0
  return high.open ? high.value - 1 : high.value
}

function fits(value: number, low: Bound | undefined, high: Bound | undefined): boolean {
  const above = !low || (low.open ? value > low.value : value >= low.value)
  return above && (!high || (high.open ? value < high.value : value <= high.value))
}

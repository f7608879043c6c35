// The store keeps money as whole billionths of a dollar, so that sums are exact and a single cached token still counts.

const NANOS_PER_DOLLAR = 1_000_000_000
/** A million dollars for one call. A larger figure is a mistake of a provider, and sums of such figures must stay below 2^63. */
const MAX_NANOS = 1_000_000 * NANOS_PER_DOLLAR

/** Null if the cost is unknown. */
export function toNanos(dollars: number | null): number | null {
  if (dollars === null || !Number.isFinite(dollars)) return null
  return Math.max(-MAX_NANOS, Math.min(Math.round(dollars * NANOS_PER_DOLLAR), MAX_NANOS))
}

/** Sums of many calls may be larger than the integers that a number can hold. */
export function toDollars(nanos: number | bigint): number {
  if (typeof nanos === 'number') return nanos / NANOS_PER_DOLLAR
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(10, '0')
  return Number(`${nanos < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`)
}

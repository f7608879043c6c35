// Values of JSON that callers and providers send. `String` and `Number` throw a TypeError for an object with a member `toString` or
// `valueOf`, and everybody can send one.

/** As `String`, for every value. */
export function toText(value: unknown): string {
  return isObject(value) ? Object.prototype.toString.call(value) : String(value)
}

/** As `Number`, for every value: an object or a list is no number. */
export function toNumber(value: unknown): number {
  return isObject(value) ? Number.NaN : Number(value)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

type Size = { values: number; chars: number }

/** Whether a JSON value has at most this many values and characters (in names and texts). Reading stops at the limit. */
export function fits(value: unknown, max: Size): boolean {
  const left = { ...max }
  subtract(value, left)
  return isLeft(left)
}

function subtract(value: unknown, left: Size): void {
  left.values -= 1
  if (typeof value === 'string') left.chars -= value.length
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) return subtractMembers(value as Record<string, unknown>, left)
  for (let at = 0; at < value.length && isLeft(left); at++) subtract(value[at], left)
}

function subtractMembers(value: Record<string, unknown>, left: Size): void {
  for (const name in value) {
    if (!isLeft(left)) return
    left.chars -= name.length
    subtract(value[name], left)
  }
}

function isLeft({ values, chars }: Size): boolean {
  return values >= 0 && chars >= 0
}

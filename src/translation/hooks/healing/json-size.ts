type Size = { values: number; chars: number }

/** Whether a JSON value has at most this many values and characters (in names and texts). Reading stops at the limit. */
export function fits(value: unknown, max: Size): boolean {
  const remaining = { ...max }
  subtract(value, remaining)
  return isLeft(remaining)
}

function subtract(value: unknown, remaining: Size): void {
  remaining.values -= 1
  if (typeof value === 'string') remaining.chars -= value.length
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) return subtractMembers(value as Record<string, unknown>, remaining)
  for (let at = 0; at < value.length && isLeft(remaining); at++) subtract(value[at], remaining)
}

function subtractMembers(value: Record<string, unknown>, remaining: Size): void {
  for (const name in value) {
    if (!isLeft(remaining)) return
    remaining.chars -= name.length
    subtract(value[name], remaining)
  }
}

function isLeft({ values, chars }: Size): boolean {
  return values >= 0 && chars >= 0
}

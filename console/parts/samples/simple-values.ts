// Values of requests that SDKs have their own functions for.

/** Undefined if a message is more than a role and a text. */
export function simpleMessages(value: unknown): { role: string; content: string }[] | undefined {
  if (!Array.isArray(value)) return undefined
  const isSimple = (one: unknown) => {
    const { role, content, ...others } = Object(one) as Record<string, unknown>
    return typeof role === 'string' && typeof content === 'string' && Object.keys(others).length === 0
  }
  return value.every(isSimple) ? (value as { role: string; content: string }[]) : undefined
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}

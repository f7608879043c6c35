type Line = { level: 'info' | 'warn' | 'error'; message: string; fields: Record<string, unknown> }

/** A log that tests can wait on, so that they wait for background work without sleeping. */
export function eventLog() {
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  return { info: at('info'), warn: at('warn'), error: at('error'), lines, until, seen }

  function at(level: Line['level']) {
    return (fields: object, message?: string) => {
      lines.push({ level, message: message ?? '', fields: fields as Line['fields'] })
      for (const look of waiting) look()
    }
  }

  function seen(message: string): Line[] {
    return lines.filter((line) => line.message.includes(message))
  }

  /** Resolves when this many lines with this message have been logged. */
  function until(message: string, count = 1): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = () => {
      if (seen(message).length < count) return
      waiting.delete(look)
      resolve()
    }
    waiting.add(look)
    look()
    return promise
  }
}

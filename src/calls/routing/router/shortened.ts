const MAX_CHARS = 100

/** Shortens a caller's text so that it can be quoted in a message. */
export function shortened(name: string): string {
  return name.length > MAX_CHARS ? `${name.slice(0, MAX_CHARS)}…` : name
}

const MAX_CHARS = 100

/** A name that a caller wrote, fit to be quoted in a message. */
export function shortened(name: string): string {
  return name.length > MAX_CHARS ? `${name.slice(0, MAX_CHARS)}…` : name
}

/** Whether a text fits a pattern in which `*` stands for anything. Looks at each part of the pattern once. */
export function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  return hasInOrder(text.slice(first.length, text.length - last.length), rest)
}

function hasInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return true
}

/** What the `*` of a pattern stands for in this text; undefined if the text does not fit. */
export function starOf(pattern: string, text: string): string | undefined {
  if (!fits(pattern, text)) return undefined
  const at = pattern.indexOf('*')
  return at < 0 ? '' : text.slice(at, text.length - (pattern.length - at - 1))
}

/** The ids of projects. A group may be written in capitals, a project is not. */
const PROJECT = /^[a-z0-9][a-z0-9._-]{0,99}$/

/** The project that a rule names for a group; undefined if it does not fit, or if no project can have that name. */
export function projectOf(pattern: string, project: string, group: string): string | undefined {
  const star = starOf(pattern, group)
  const name = star === undefined ? '' : project.replaceAll('$1', () => star.toLowerCase())
  return PROJECT.test(name) ? name : undefined
}

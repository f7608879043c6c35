/** A call of a function with named arguments. */
export function callOf(name: string, members: Record<string, unknown>): string {
  const lines = Object.entries(members).map(([member, value]) => `    ${member}=${pythonOf(value)},`)
  return `${name}(\n${lines.join('\n')}\n)`
}

/** A text of JSON is one of Python, too. */
export function pythonOf(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value as object)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member)}`).join(', ')}}`
}

import { literal } from '../../parts/literal.ts'

/** A call of a function with named arguments. */
export function callOf(name: string, members: Record<string, unknown>): string {
  const lines = Object.entries(members).map(([member, value]) => `    ${member}=${literal(value, 'python', '    ')},`)
  return `${name}(\n${lines.join('\n')}\n)`
}

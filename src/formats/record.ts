// Reading what callers and providers wrote, where a wrong type means the same as nothing.

export type Fields = Record<string, unknown>

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

export function recordsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : 0
}

import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { keepWritten } from '../../json/written-numbers.ts'

// Google reads every name in camel case and in snake case, and a single object where a list is expected. Many examples use
// that, so this format is read in the same way.

/** More members than any object of this format has. Longer ones are a mistake, and renaming them would take long. */
const MAX_MEMBERS = 200

/** The members of an object, with names in camel case. Its values keep their names: they may be the caller's own. */
export function fieldsOf(value: unknown): Fields {
  if (!isRecord(value)) return {}
  let members = 0
  let isSnake = false
  for (const name in value) {
    if (++members > MAX_MEMBERS) return value
    isSnake ||= name.includes('_')
  }
  return isSnake ? renamed(value) : value
}

export function hasFields(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length > 0
}

function renamed(value: Fields): Fields {
  const members = Object.entries(value).map(([name, member]) => [camelCase(name), member])
  return keepWritten(Object.fromEntries(members), value)
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The objects of a list, or the only one. */
export function elementsOf(value: unknown): Fields[] {
  const list = Array.isArray(value) ? value : [value]
  return list.filter(isRecord).map(fieldsOf)
}

import type { Database } from '../../platform/store/database.ts'
import { isNamed, namesOf } from '../../platform/store/ledger/names.ts'

/** Keys of the environment are in no table. */
const KEYS_OF_ENVIRONMENT: Readonly<Record<string, string>> = {
  'env-live': 'GATEHOUSE_API_KEY',
  'env-admin': 'GATEHOUSE_ADMIN_KEY',
}

/** What the playground calls with is not a key: `console-<id of a user>`. */
const PLAYGROUND = /^console(?:-(?<user>.+))?$/

/** Returns a function that names ids of this dimension: null for what has no name, or none that is known. */
export async function namesInReport(db: Database, dimension: string, ids: readonly string[]) {
  if (!isNamed(dimension)) return () => null
  const names = await namesOf(db, dimension, [...new Set(ids)])
  if (dimension !== 'key') return (id: string) => names.get(id) ?? null
  const people = await namesOf(db, 'user', [...new Set(ids.flatMap((id) => PLAYGROUND.exec(id)?.groups?.user ?? []))])
  return (id: string) => names.get(id) ?? KEYS_OF_ENVIRONMENT[id] ?? playgroundName(id, people)
}

function playgroundName(id: string, people: ReadonlyMap<string, string>): string | null {
  const found = PLAYGROUND.exec(id)
  const person = people.get(found?.groups?.user ?? '')
  return found && (person === undefined ? 'Playground' : `Playground (${person})`)
}

import type { Database } from '../../platform/store/database.ts'
import { isNamed, namesOf } from '../../platform/store/ledger/names.ts'

/** Keys of the environment are in no table. */
const KEYS_OF_ENVIRONMENT: Readonly<Record<string, string>> = {
  'env-live': 'GATEHOUSE_API_KEY',
  'env-admin': 'GATEHOUSE_ADMIN_KEY',
}

/** Returns a function that names ids of this dimension: null for what has no name, or none that is known. */
export async function namesInReport(db: Database, dimension: string, ids: readonly string[]) {
  if (!isNamed(dimension)) return () => null
  const names = await namesOf(db, dimension, [...new Set(ids)])
  return (id: string): string | null =>
    names.get(id) ?? (dimension === 'key' ? KEYS_OF_ENVIRONMENT[id] : undefined) ?? null
}

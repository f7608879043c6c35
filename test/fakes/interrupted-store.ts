import { type Database, StoreUnavailable } from '../../src/platform/store/database.ts'

/** A store that can go away, that counts what is written to it, and during whose writes other things happen. */
export function interruptedStore(db: Database, { away = false } = {}) {
  const store = { away, writes: 0, meanwhile: (): unknown => undefined, db: { ...db, transaction } }
  return store

  async function transaction(...call: Parameters<Database['transaction']>) {
    if (store.away) throw new StoreUnavailable('The database is not reachable.')
    store.writes++
    const results = await db.transaction(...call)
    store.meanwhile()
    return results
  }
}

import type { Logger } from 'pino'
import { MAX_ALIASES } from '../../platform/config/aliases/alias-limits.ts'
import type { Alias, Aliases } from '../../platform/config/aliases/alias.ts'
import { storedAlias } from '../../platform/config/aliases/read-aliases.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type { Database } from '../../platform/store/database.ts'
import { aliasVersion, readStoredAliases } from '../../platform/store/installation/aliases.ts'
import { readWhenChanged } from '../../platform/store/installation/read-when-changed.ts'

type Needs = { db: Database; log: Pick<Logger, 'info' | 'error'>; replace(aliases: Aliases): void }

/** The aliases of the store in the memory of this process. Without the store, the process goes on with what it knows. */
export class AliasCache {
  readonly #needs: Needs
  /** Reads the aliases if they have changed. */
  readonly refresh: () => Promise<void>

  constructor(needs: Needs) {
    this.#needs = needs
    this.refresh = readWhenChanged({ version: () => aliasVersion(needs.db), read: () => this.#read() })
  }

  async #read(): Promise<void> {
    const { db, log, replace } = this.#needs
    const aliases = await readAliasesOfStore(db, log)
    replace(aliases)
    log.info({ aliases: Object.keys(aliases).length }, 'the aliases of the store were read')
  }
}

/** All aliases of the store. One that is not valid says so when it is used. */
export async function readAliasesOfStore(db: Database, log: Pick<Logger, 'error'>): Promise<Aliases> {
  const rows = await readStoredAliases(db, MAX_ALIASES)
  return Object.fromEntries(rows.map(({ name, settings }) => [name, parsed(name, settings, log)]))
}

function parsed(name: string, settings: string, log: Pick<Logger, 'error'>): Alias {
  const alias = storedAlias(tryParse(settings))
  if (alias.fault) log.error({ alias: name, fault: alias.fault }, 'an alias in the store is not valid')
  return alias
}

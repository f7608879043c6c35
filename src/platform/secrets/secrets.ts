import { ConfigError } from '../config/config-error.ts'
import type { Database } from '../store/database.ts'
import {
  changeKey,
  FINGERPRINT_SETTING,
  findFingerprint,
  findSecret,
  insertSecret,
  replaceSecret,
  type StoredSecret,
  secretsOfOtherKeys,
} from '../store/installation/secrets.ts'
import { ensureSetting } from '../store/installation/settings.ts'
import { type EncryptionKey, encryptionKey, seal, unseal } from './encryption-key.ts'
import { createKeyFile, KEY_FILE, readKeyFile } from './key-file.ts'

// Secrets that all processes of an installation share. They are in the store, encrypted with GATEHOUSE_ENCRYPTION_KEY.

const ROTATION_TRIES = 5

type Settings = { dataDir: string; encryptionKeys: readonly string[] | undefined }

type Secret = { value: string; version: number }
type SealedSecret = Omit<StoredSecret, 'version'>

export class Secrets {
  readonly #db: Database
  readonly #key: EncryptionKey

  constructor(db: Database, key: EncryptionKey) {
    this.#db = db
    this.#key = key
  }

  /** Whether this row was encrypted with the key of this process. */
  isOurs({ fingerprint }: Pick<SealedSecret, 'fingerprint'>): boolean {
    return fingerprint === this.#key.fingerprint
  }

  /** Returns the secret of this name. If there is none yet, a new one is made and stored. */
  async ensure(name: string, make: () => string | Promise<string>): Promise<Secret> {
    const existing = await this.find(name)
    if (existing) return existing
    await insertSecret(this.#db, this.sealed(name, await make()))
    const stored = await this.find(name)
    if (!stored) throw wrongKey()
    return stored
  }

  async find(name: string): Promise<Secret | undefined> {
    const stored = await findSecret(this.#db, name)
    if (!stored) return undefined
    return { value: this.opened(stored), version: stored.version }
  }

  /** Decrypts a value from a row of the store. */
  opened({ name, sealed, fingerprint }: SealedSecret): string {
    const value = unseal(this.#key, name, sealed)
    if (value === undefined) throw fingerprint === this.#key.fingerprint ? damaged(name) : wrongKey()
    return value
  }

  /** Replaces a secret that exists. */
  async replace(name: string, value: string): Promise<void> {
    if (!(await replaceSecret(this.#db, this.sealed(name, value)))) throw wrongKey()
  }

  /** Encrypts a value for a row of the store. */
  sealed(name: string, value: string): SealedSecret {
    return { name, sealed: seal(this.#key, name, value), fingerprint: this.#key.fingerprint }
  }
}

/** Refuses to start with another key than the one in use. The first of several keys replaces the others. */
export async function openSecrets(db: Database, settings: Settings): Promise<Secrets> {
  const inUse = await findFingerprint(db)
  const [key, ...old] = (await keyTexts(settings, inUse !== undefined)).map(encryptionKey)
  const stored = await ensureSetting(db, FINGERPRINT_SETTING, key!.fingerprint)
  const former = old.find(({ fingerprint }) => fingerprint === stored)
  if (stored !== key!.fingerprint && !former) throw wrongKey()
  if (old.length > 0) await sealAgain(db, key!, old)
  return new Secrets(db, key!)
}

/** A key is made only for a store without secrets: with a new key, this process could not read those that exist. */
async function keyTexts({ dataDir, encryptionKeys }: Settings, isInUse: boolean): Promise<readonly string[]> {
  if (encryptionKeys) return encryptionKeys
  const text = readKeyFile(dataDir) ?? (isInUse ? undefined : await createKeyFile(dataDir))
  if (text === undefined) throw wrongKey()
  return [text]
}

/** Repeated if a secret has changed in the meantime. If another process does the same, both write the same secrets. */
async function sealAgain(db: Database, key: EncryptionKey, old: readonly EncryptionKey[]): Promise<void> {
  const to = key.fingerprint
  for (let tries = 0; tries < ROTATION_TRIES; tries++) {
    const others = await secretsOfOtherKeys(db, to)
    const from = (await findFingerprint(db))!
    if (others.length === 0 && from === to) return
    await changeKey(
      db,
      { from, to },
      others.map((before) => ({ before, sealed: seal(key, before.name, opened(before, old)) })),
    )
  }
}

function opened({ name, sealed, fingerprint }: StoredSecret, keys: readonly EncryptionKey[]): string {
  const key = keys.find((one) => one.fingerprint === fingerprint)
  if (!key) throw wrongKey()
  const value = unseal(key, name, sealed)
  if (value === undefined) throw damaged(name)
  return value
}

function wrongKey(): ConfigError {
  return new ConfigError(
    'GATEHOUSE_ENCRYPTION_KEY: the database was set up with another encryption key; set the same key for every process ' +
      `(if none was ever set, it is in the file ${KEY_FILE} in the DATA_DIR of the first process), or NEW,OLD to change it.`,
  )
}

function damaged(name: string): ConfigError {
  return new ConfigError(`The secret ${name} in the database is damaged; restore the table "secrets" from a backup.`)
}

import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ageOf, type Moment, type Stamp } from './key-file-age.ts'
import { HEADER_BYTES, headerLine, readHeader, readLine } from './key-line.ts'
import type { CachedKey } from './cached-key.ts'
import { HOUR_MS } from '../../base/units/units.ts'

// Keys that processes of this installation knew a short time ago. They are used only while the store is away.

/** Processes of this machine, and some that have ended. */
const MAX_FILES = 300
const MAX_KEYS = 100_000
const ABANDONED_MS = HOUR_MS
const FILE_NAME = /^[0-9a-f-]{36}\.jsonl$/

type KeysOnDiskOptions = { folder: string; maxAgeMs: number; moment(): Moment }

type Generation = { keys: Map<string, CachedKey>; untilBootMs: number }

export class KeysOnDisk {
  readonly #moment: () => Moment
  /** One for each file, newest first. */
  #generations: Generation[] = []
  readonly #revoked = new Set<string>()

  private constructor(moment: () => Moment) {
    this.#moment = moment
  }

  static async load({ folder, maxAgeMs, moment }: KeysOnDiskOptions): Promise<KeysOnDisk> {
    const loaded = new KeysOnDisk(moment)
    const now = moment()
    let remaining = MAX_KEYS
    for (const { path, stamp } of filesIn(folder, now, maxAgeMs)) {
      const keys = await loaded.#read(path, remaining)
      remaining -= keys.size
      if (stamp.bootId !== now.bootId) anchor(path, { ...now, ageMs: ageOf(stamp, now) })
      loaded.#generations.push({ keys, untilBootMs: now.bootMs + maxAgeMs - ageOf(stamp, now) })
    }
    return loaded
  }

  get size(): number {
    return this.#generations.reduce((sum, { keys }) => sum + keys.size, 0)
  }

  /** What any of the processes knew as revoked is revoked. */
  find(digest: string): CachedKey | 'revoked' | undefined {
    this.dropExpired()
    if (this.#revoked.has(digest)) return 'revoked'
    for (const { keys } of this.#generations) if (keys.has(digest)) return keys.get(digest)
    return undefined
  }

  /** The store has said what is true of this key. */
  forget(digest: string): void {
    for (const { keys } of this.#generations) keys.delete(digest)
  }

  dropExpired(): void {
    if (this.#generations.length === 0) return
    const { bootMs } = this.#moment()
    if (this.#generations.some(({ untilBootMs }) => untilBootMs <= bootMs))
      this.#generations = this.#generations.filter(({ untilBootMs }) => untilBootMs > bootMs)
  }

  async #read(path: string, maxKeys: number): Promise<Map<string, CachedKey>> {
    const keys = new Map<string, CachedKey>()
    const text = await readFile(path, 'utf8').catch(() => '')
    for (const line of text.slice(HEADER_BYTES).split('\n')) {
      const { digest, key } = readLine(line) ?? {}
      if (digest === undefined) continue
      if (!key) this.#revoked.add(digest)
      else if (keys.size < maxKeys) keys.set(digest, key)
    }
    return keys
  }
}

/** Newest first. Files that are too old, damaged or too many are removed. */
function filesIn(folder: string, now: Moment, maxAgeMs: number): { path: string; stamp: Stamp }[] {
  const files: { path: string; stamp: Stamp; age: number }[] = []
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const stamp = FILE_NAME.test(name) ? stampOf(path) : undefined
    const age = stamp ? ageOf(stamp, now) : Number.POSITIVE_INFINITY
    if (stamp && age < maxAgeMs) files.push({ path, stamp, age })
    else if (FILE_NAME.test(name) || isAbandoned(path, now)) rmSync(path, { force: true })
  }
  const newestFirst = files.sort((one, other) => one.age - other.age)
  for (const { path } of newestFirst.splice(MAX_FILES)) rmSync(path, { force: true })
  return newestFirst
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function stampOf(path: string): Stamp | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES)
  try {
    const file = openSync(path, 'r')
    readSync(file, bytes, 0, HEADER_BYTES, 0)
    closeSync(file)
  } catch {
    return undefined
  }
  return readHeader(bytes.toString())
}

/** A file of another name is being written just now, or its process has died. */
function isAbandoned(path: string, { wallMs }: Moment): boolean {
  try {
    return wallMs - statSync(path).mtimeMs > ABANDONED_MS
  } catch {
    return false
  }
}

/** From now on, the clock of this start of the machine counts: the wall clock may be set back before the next one. */
function anchor(path: string, stamp: Stamp): void {
  const file = openSync(path, 'r+')
  writeSync(file, headerLine(stamp), 0)
  closeSync(file)
}

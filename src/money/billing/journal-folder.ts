import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessLock, tryLock } from '../../platform/store/process-lock.ts'

const OWNER_ONLY = 0o700
const SEGMENT_NAME = /^[0-9a-f-]{36}\.\d+\.jsonl$/
const IN_FLIGHT_NAME = /^[0-9a-f-]{36}\.\d+\.in-flight$/

/**
 * The files and locks of all processes, by the id of the process: `<id>.<number>.jsonl` for ledger lines, `<id>.<number>.in-flight`
 * for calls in flight, and `<id>.lock`.
 */
export class JournalFolder {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  create(): void {
    mkdirSync(this.#folder, { recursive: true, mode: OWNER_ONLY })
  }

  path(name: string): string {
    return join(this.#folder, name)
  }

  segmentPath(id: string, number: number): string {
    return this.path(`${id}.${number}.jsonl`)
  }

  inFlightPath(id: string, number: number): string {
    return this.path(`${id}.${number}.in-flight`)
  }

  /** The ids of all processes that have files. */
  ids(): Set<string> {
    return new Set(this.#names().map(idOf))
  }

  segmentPaths(id: string): string[] {
    return this.#pathsOf(id, SEGMENT_NAME)
  }

  /** Oldest first. */
  inFlightPaths(id: string): string[] {
    return this.#pathsOf(id, IN_FLIGHT_NAME).sort((one, other) => numberOf(one) - numberOf(other))
  }

  /** Undefined if the process lives, or if another one has taken over its files. */
  tryLock(id: string): ProcessLock | undefined {
    return tryLock(this.path(`${id}.lock`))
  }

  /** Removes the lock before it is released: afterwards it could already be the lock of another process. */
  discardLock(id: string, lock: ProcessLock): void {
    try {
      rmSync(this.path(`${id}.lock`), { force: true })
    } finally {
      lock.release()
    }
  }

  #pathsOf(id: string, kind: RegExp): string[] {
    const names = this.#names().filter((name) => kind.test(name) && idOf(name) === id)
    return names.map((name) => this.path(name))
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => SEGMENT_NAME.test(name) || IN_FLIGHT_NAME.test(name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
}

function idOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

function numberOf(path: string): number {
  return Number(path.split('.').at(-2))
}

import type { Region } from '../../platform/providers/provider.ts'
import type { DefaultProject } from '../../platform/store/keys/key-changes.ts'
import { digestOf } from './api-keys.ts'
import type { Caller } from './caller.ts'
import { fromLine, inProject, type CachedKey } from './cached-key.ts'

/** A key that the operator sets in the environment. */
export type FixedKey = { key: string; caller: Caller }

/**
 * The keys of the environment, by their digests. They need no store, but their project is there: what it says is applied when the
 * store has been read. Until then, what an earlier process has left on disk holds.
 */
export class FixedKeys {
  #keys: ReadonlyMap<string, Caller> = new Map()
  #callers: ReadonlyMap<string, Caller> = new Map()
  #project: DefaultProject | undefined
  readonly #onDisk: (digest: string) => CachedKey | 'revoked' | undefined

  constructor(fixed: readonly FixedKey[], findOnDisk: (digest: string) => CachedKey | 'revoked' | undefined) {
    this.#onDisk = findOnDisk
    this.replace(fixed)
  }

  get(digest: string): Caller | undefined {
    return this.#callers.get(digest)
  }

  /** The keys of the configuration have changed. */
  replace(fixed: readonly FixedKey[]): void {
    this.#keys = new Map(fixed.map(({ key, caller }) => [digestOf(key), caller]))
    this.#apply()
  }

  /** What the store says now. Returns whether it is something new. */
  setProject(project: DefaultProject | undefined): boolean {
    if (JSON.stringify(project) === JSON.stringify(this.#project)) return false
    this.#project = project
    this.#apply()
    return true
  }

  /** Those that are restricted, for the file on disk. */
  *restricted(): Generator<[digest: string, key: CachedKey]> {
    for (const [digest, caller] of this.#callers) if (caller.policy) yield [digest, fromLine(caller)]
  }

  #apply(): void {
    this.#callers = new Map(Array.from(this.#keys, ([digest, caller]) => [digest, this.#placed(digest, caller)]))
  }

  #placed(digest: string, caller: Caller): Caller {
    if (caller.kind === 'admin') return caller
    if (!this.#project) return this.#fromDisk(digest, caller)
    const { organization, region, policy } = this.#project
    const projectPolicy = policy === null ? null : JSON.parse(policy)
    return {
      ...caller,
      organization,
      ...inProject(caller.region, region as Region | null, { projectPolicy, policy: null }),
    }
  }

  #fromDisk(digest: string, caller: Caller): Caller {
    const stored = this.#onDisk(digest)
    if (!stored || stored === 'revoked') return caller
    const { organization, region, policy } = stored.caller
    return { ...caller, organization, region, policy }
  }
}

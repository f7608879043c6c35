import type { Region } from '../providers/provider.ts'
import type { StoredKey } from '../store/keys.ts'
import type { KeyKind } from './api-keys.ts'
import type { Caller } from './caller.ts'

/** A key in memory. There may be 100,000 of them, so it holds only what requests need. */
export type KnownKey = {
  caller: Caller
  /** When its last use was noted, in whole seconds of the monotonic clock: V8 stores fractions as objects. */
  notedAt: number
}

const NEVER = -1_000_000

/** Columns of a row, or a line of a file. */
type KeyFacts = Pick<StoredKey, 'id' | 'owner' | 'kind' | 'region' | 'scopes' | 'expiresAt' | 'allowedIps'>

export function toKnownKey(facts: KeyFacts): KnownKey {
  return { caller: toCaller(facts), notedAt: NEVER }
}

/** A driver creates every string anew. Equal ones are stored once: 100,000 keys may take 60 MB. */
export function toCaller({ id, owner, kind, region, scopes, expiresAt, allowedIps }: KeyFacts): Caller {
  return {
    keyId: id,
    owner: owner === id ? id : owner,
    kind: shared(kind) as KeyKind,
    region: shared(region) as Region,
    scopes: scopes && sharedList(scopes),
    expiresAt,
    allowedIps: allowedIps && sharedList(allowedIps),
  }
}

const MAX_SHARED = 1_000
const words = new Map<string, string>()
const lists = new Map<string, readonly string[]>()

function shared(word: string): string {
  const known = words.get(word)
  if (known === undefined && words.size < MAX_SHARED) words.set(word, word)
  return known ?? word
}

function sharedList(items: readonly string[]): readonly string[] {
  const text = JSON.stringify(items)
  const known = lists.get(text)
  if (known) return known
  const list = items.map(shared)
  if (lists.size < MAX_SHARED) lists.set(text, list)
  return list
}

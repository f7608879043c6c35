import type { Region } from '../providers/provider.ts'
import type { StoredKey } from '../store/keys.ts'
import type { KeyKind } from './api-keys.ts'
import type { Caller } from './caller.ts'

/** A key in memory. There may be 100,000 of them, so it holds only what requests need. */
export type KnownKey = {
  caller: Caller
  /** When its last use was noted, on the monotonic clock. */
  notedAt: number
}

/** Columns of a row, or a line of a file. */
type KeyFacts = Pick<StoredKey, 'id' | 'owner' | 'kind' | 'region' | 'scopes' | 'expiresAt'>

export function toKnownKey(facts: KeyFacts): KnownKey {
  return { caller: toCaller(facts), notedAt: Number.NEGATIVE_INFINITY }
}

/** A driver creates every string anew. Equal ones are stored once, which saves a third of the memory. */
export function toCaller({ id, owner, kind, region, scopes, expiresAt }: KeyFacts): Caller {
  return {
    keyId: id,
    owner: owner === id ? id : owner,
    kind: shared(kind) as KeyKind,
    region: shared(region) as Region,
    scopes: scopes && sharedScopes(scopes),
    expiresAt,
  }
}

const MAX_SHARED = 1_000
const words = new Map<string, string>()
const scopeLists = new Map<string, readonly string[]>()

function shared(word: string): string {
  const known = words.get(word)
  if (known === undefined && words.size < MAX_SHARED) words.set(word, word)
  return known ?? word
}

function sharedScopes(scopes: readonly string[]): readonly string[] {
  const text = JSON.stringify(scopes)
  const known = scopeLists.get(text)
  if (known === undefined && scopeLists.size < MAX_SHARED) scopeLists.set(text, scopes)
  return known ?? scopes
}

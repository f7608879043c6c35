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
type KeyFacts = Pick<StoredKey, 'id' | 'owner' | 'kind' | 'region' | 'scopes' | 'expiresAt'>

export function toKnownKey(facts: KeyFacts): KnownKey {
  return { caller: toCaller(facts), notedAt: NEVER }
}

/** A driver creates every string anew. Equal ones are stored once: 100,000 keys may take 60 MB. */
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
  if (known) return known
  const list = scopes.map(shared)
  if (scopeLists.size < MAX_SHARED) scopeLists.set(text, list)
  return list
}

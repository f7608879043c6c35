import type { Region } from '../../platform/providers/provider.ts'
import type { StoredKey } from '../../platform/store/keys/keys.ts'
import { type Owner, type OwnerKind, ownerIn } from '../../platform/store/owner.ts'
import type { KeyKind } from './api-keys.ts'
import type { Caller } from './caller.ts'
import { type CallerPolicy, combined } from './policy.ts'

/** A key in memory. There may be 100,000 of them, so it holds only what requests need. */
export type CachedKey = {
  caller: Caller
  /** When its last use was noted, in whole seconds of the monotonic clock: V8 stores fractions as objects. */
  notedAt: number
}

const NEVER = -1_000_000

export function toCachedKey(key: StoredKey): CachedKey {
  return { caller: toCaller(key), notedAt: NEVER }
}

/** What the key and its project say together. */
export function toCaller(key: StoredKey): Caller {
  const { id, name } = key
  const placed = inProject(key.region as Region, key.projectRegion as Region | null, key)
  return fromFacts({ ...key, keyId: id, keyName: name, ...placed })
}

type Policies = Pick<StoredKey, 'projectPolicy' | 'policy'>

/** The region and the policy that hold for a key in its project. */
export function inProject(ofKey: Region, ofProject: Region | null, { projectPolicy, policy }: Policies) {
  const region = ofKey === 'global' ? (ofProject ?? 'global') : ofKey
  const together = combined(projectPolicy, policy, ofProject)
  return { region, policy: together && closedIfSplit(together, region) }
}

/** A key of one region in a project of another one: no model is in both, so nothing is allowed. */
function closedIfSplit(policy: CallerPolicy, region: Region): CallerPolicy {
  const isSplit = policy.region !== null && policy.region !== 'global' && policy.region !== region
  return isSplit ? { ...policy, endpoints: [] } : policy
}

/** From a line of a file. */
export function fromLine(facts: CallerFacts): CachedKey {
  return { caller: fromFacts(facts), notedAt: NEVER }
}

/** Everything about a caller but the text of its owner, which is made of it. */
export type CallerFacts = Omit<Caller, 'owner'>

/** A driver creates every string anew. Equal ones are stored once: 100,000 keys may take 80 MB. */
function fromFacts(caller: CallerFacts): Caller {
  const { keyId, keyName, scopes, allowedIps, policy, user, expiresAt } = caller
  return {
    keyId,
    keyName: shared(keyName),
    ...sharedOwner(caller),
    user,
    kind: shared(caller.kind) as KeyKind,
    region: shared(caller.region) as Region,
    scopes: scopes && sharedList(scopes),
    expiresAt,
    allowedIps: allowedIps && sharedList(allowedIps),
    policy: policy && sharedPolicy(policy),
  }
}

function sharedOwner({ keyId, organization, project, ownerKind, ownerId }: CallerFacts): Owner {
  const scope = { organization: shared(organization), project: shared(project) }
  const owner = ownerIn(scope, shared(ownerKind) as OwnerKind, ownerId === keyId ? keyId : shared(ownerId))
  return ownerKind === 'project' ? { ...owner, owner: shared(owner.owner) } : owner
}

const MAX_SHARED = 1_000
const words = new Map<string, string>()
const lists = new Map<string, readonly string[]>()
const policies = new Map<string, CallerPolicy>()

function shared(word: string): string {
  const existing = words.get(word)
  if (existing === undefined && words.size < MAX_SHARED) words.set(word, word)
  return existing ?? word
}

function sharedList(items: readonly string[]): readonly string[] {
  const text = JSON.stringify(items)
  const existing = lists.get(text)
  if (existing) return existing
  const list = items.map(shared)
  if (lists.size < MAX_SHARED) lists.set(text, list)
  return list
}

function sharedPolicy(policy: CallerPolicy): CallerPolicy {
  const text = JSON.stringify(policy)
  const existing = policies.get(text)
  if (existing === undefined && policies.size < MAX_SHARED) policies.set(text, policy)
  return existing ?? policy
}

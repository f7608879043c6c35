import { labelOf, withoutControls } from '../base/schema/label.ts'
import { isRecord } from '../base/schema/record.ts'
import { claudeCodeUser } from './origin/claude-code-user.ts'
import { NO_ORIGIN, type Origin } from './origin/origin.ts'

/** What the caller says about a call: whom it is for, what it belongs to, which program sent it, and which model was asked for. */
export type Labels = Origin & {
  /** The caller's own identifier of a person (`user`, `safety_identifier`, `metadata.user_id`). */
  readonly endUser: string | null
  /** From the header `x-gatehouse-tags` and from `metadata`; null if there are none. */
  readonly tags: Readonly<Record<string, string>> | null
  /** The name in the request: an alias, `provider/model`, or a bare name. */
  readonly requestedModel: string | null
}

export const NO_LABELS: Labels = { ...NO_ORIGIN, endUser: null, tags: null, requestedModel: null }

// Labels are kept with every ledger line, so their number and size are limited here, once.
export const MAX_TAGS = 16
export const MAX_TAG_NAME_BYTES = 64
/** What a tag is called that is written for the gateway, and not found in metadata. */
export const TAG_NAME = new RegExp(`^[\\w.:/-]{1,${MAX_TAG_NAME_BYTES}}$`)
/** A body may have very many members in its metadata that are no texts. */
const MAX_MEMBERS_READ = 64

type Tags = Readonly<Record<string, string>>

/** The labels of a request. Tags of the header come first and win. Metadata of the Gemini format is called `labels`. */
export function labelsOf(body: unknown, ofHeader: Tags | null = null, origin: Origin = NO_ORIGIN): Labels {
  if (!isRecord(body)) return { ...NO_LABELS, ...origin, tags: ofHeader }
  const metadata = body.metadata ?? body.labels
  const members = isRecord(metadata) ? metadata : undefined
  const named = labelIn(body.user) ?? labelIn(body.safety_identifier)
  const endUser = named ?? labelIn(claudeCodeUser(members?.user_id)?.user ?? members?.user_id)
  const tags = members ? tagsOf(members, ofHeader, named === null ? LABELS : ONLY_SESSION) : ofHeader
  // Listed one by one: every call has labels, and copying members of an unknown shape takes longer.
  const { session, agent, parentAgent, client } = origin
  return { endUser, tags, requestedModel: labelIn(body.model), session, agent, parentAgent, client }
}

/** Members of the metadata that are no tags, because they are labels of their own. */
const ONLY_SESSION: ReadonlySet<string> = new Set(['session_id'])
const LABELS: ReadonlySet<string> = new Set(['session_id', 'user_id'])

function tagsOf(members: Record<string, unknown>, ofHeader: Tags | null, labels: ReadonlySet<string>): Tags | null {
  const tags = new Map(Object.entries(ofHeader ?? {}))
  let read = 0
  for (const name in members) {
    if (tags.size >= MAX_TAGS || read++ >= MAX_MEMBERS_READ) break
    const value = labels.has(name) ? null : labelIn(members[name])
    const safe = withoutControls(name)
    if (value !== null && safe !== '' && Buffer.byteLength(safe) <= MAX_TAG_NAME_BYTES && !tags.has(safe))
      tags.set(safe, value)
  }
  return tags.size > 0 ? Object.fromEntries(tags) : null
}

/** Tags that are only words, beside others, and whether there was room for all of them. */
export function listedTags(words: readonly string[], others: Tags): { tags: Record<string, string>; isWhole: boolean } {
  const tags = new Map(Object.entries(others))
  let isWhole = true
  for (const word of words) {
    const name = withoutControls(word)
    const fits =
      name !== '' && Buffer.byteLength(name) <= MAX_TAG_NAME_BYTES && (tags.size < MAX_TAGS || tags.has(name))
    if (fits) tags.set(name, 'true')
    else isWhole = false
    if (tags.size >= MAX_TAGS && !isWhole) break
  }
  return { tags: Object.fromEntries(tags), isWhole }
}

function labelIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? labelOf(value) : null
}

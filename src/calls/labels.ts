import { labelOf, withoutControls } from '../base/schema/label.ts'
import { isRecord } from '../base/schema/record.ts'

/** What the caller says about a call: whom it is for, what it belongs to, and which model was asked for. */
export type Labels = {
  /** The caller's own identifier of a person (`user`, `safety_identifier`, `metadata.user_id`). */
  readonly endUser: string | null
  /** From the header `x-gatehouse-tags` and from `metadata`; null if there are none. */
  readonly tags: Readonly<Record<string, string>> | null
  /** The name in the request: an alias, `provider/model`, or a bare name. */
  readonly requestedModel: string | null
}

export const NO_LABELS: Labels = { endUser: null, tags: null, requestedModel: null }

// Labels are kept with every ledger line, so their number and size are limited here, once.
export const MAX_TAGS = 16
export const MAX_TAG_NAME_BYTES = 64
/** A body may have very many members in its metadata that are no texts. */
const MAX_MEMBERS_READ = 64

type Tags = Readonly<Record<string, string>>

/** The labels of a request. Tags of the header come first and win. Metadata of the Gemini format is called `labels`. */
export function labelsOf(body: unknown, ofHeader: Tags | null = null): Labels {
  if (!isRecord(body)) return ofHeader ? { ...NO_LABELS, tags: ofHeader } : NO_LABELS
  const metadata = body.metadata ?? body.labels
  const members = isRecord(metadata) ? metadata : undefined
  const named = labelIn(body.user) ?? labelIn(body.safety_identifier)
  const endUser = named ?? labelIn(members?.user_id)
  const tags = members ? tagsOf(members, ofHeader, named === null) : ofHeader
  return { endUser, tags, requestedModel: labelIn(body.model) }
}

/** `userIsLabel` is true if `user_id` is the end user already, and no tag. */
function tagsOf(members: Record<string, unknown>, ofHeader: Tags | null, userIsLabel: boolean): Tags | null {
  const tags = new Map(Object.entries(ofHeader ?? {}))
  let read = 0
  for (const name in members) {
    if (tags.size >= MAX_TAGS || read++ >= MAX_MEMBERS_READ) break
    const value = userIsLabel && name === 'user_id' ? null : labelIn(members[name])
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

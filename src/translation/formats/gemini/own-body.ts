import type { DropNotes } from '../../wire/native-ask.ts'
import { UNKNOWN_SIGNATURE } from '../../dialects/request/unknown-signature.ts'
import { FOREIGN } from '../../dialects/provider-blocks.ts'
import { type Fields, isRecord, recordsIn, textOf } from '../../../base/schema/record.ts'
import { isOurSignature } from './signatures.ts'

/**
 * Changes that Google needs: it would refuse signatures that are not its own. Vertex AI also refuses ids of calls, and contents
 * without a role, which are the user's elsewhere.
 */
export function ownChanges({ contents }: Fields, isVertex: boolean, notes: DropNotes): Fields {
  const turns = Array.isArray(contents) ? contents : [contents]
  const parts = turns.flatMap((turn) => (isRecord(turn) ? recordsIn(turn.parts) : []))
  const hasForeign = parts.some(isForeign)
  const hasEmpty = turns.some((turn) => isRecord(turn) && isEmpty(turn))
  if (hasForeign) notes.dropped('contents.parts.thoughtSignature', FOREIGN)
  const dropsIds = isVertex && parts.some((part) => CALLS.some((name) => isRecord(part[name])))
  const addsRole = isVertex && turns.some((turn) => isRecord(turn) && turn.role == null)
  if (!hasForeign && !hasEmpty && !dropsIds && !addsRole) return {}
  const changed = turns.map((turn) => (isRecord(turn) ? changedTurn(turn, { dropsIds, addsRole }) : turn))
  return { contents: changed.filter((turn) => !isRecord(turn) || !isEmpty(turn)) }
}

const CALLS = ['functionCall', 'function_call', 'functionResponse', 'function_response']

function changedTurn(given: Fields, { dropsIds, addsRole }: { dropsIds: boolean; addsRole: boolean }): Fields {
  const turn = addsRole ? { ...given, role: given.role ?? 'user' } : given
  if (!Array.isArray(turn.parts)) return turn
  const parts = recordsIn(turn.parts).flatMap((part) => (isForeign(part) ? unsigned(part) : [part]))
  return { ...turn, parts: dropsIds ? parts.map(withoutId) : parts }
}

/** An answer of another maker that says nothing, or has only reasoning. Google refuses empty texts. */
function isEmpty({ role, parts }: Fields): boolean {
  const isModel = role === 'model' || role === 'assistant'
  return (
    isModel &&
    Array.isArray(parts) &&
    recordsIn(parts).every((part) => part.text === '' && Object.keys(part).length === 1)
  )
}

/** A call keeps its place in the order of signatures; reasoning of another provider means nothing to Google. */
function unsigned({ thoughtSignature: _, thought_signature: __, ...part }: Fields): Fields[] {
  if (part.functionCall ?? part.function_call) return [{ ...part, thoughtSignature: UNKNOWN_SIGNATURE }]
  return part.thought === true || textOf(part.text) === '' ? [] : [part]
}

function withoutId(part: Fields): Fields {
  const calls = CALLS.filter((name) => isRecord(part[name]))
  return { ...part, ...Object.fromEntries(calls.map((name) => [name, idless(part[name] as Fields)])) }
}

function idless({ id: _, ...call }: Fields): Fields {
  return call
}

function isForeign({ thoughtSignature, thought_signature }: Fields): boolean {
  return isOurSignature(thoughtSignature ?? thought_signature)
}

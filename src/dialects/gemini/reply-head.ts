import { type Fields, textOf } from '../../schema/record.ts'

/** What all chunks of a reply share. What Google did not send is left to the gateway, which has a clock. */
export type ReplyHead = { id?: string; created?: number; model: string }

const MAX_ID_CHARS = 40

export function headOf({ responseId, createTime, modelVersion }: Fields): ReplyHead {
  const id = textOf(responseId)
  const milliseconds = typeof createTime === 'string' ? Date.parse(createTime) : Number.NaN
  return {
    ...(id && { id }),
    ...(Number.isFinite(milliseconds) && { created: Math.floor(milliseconds / 1000) }),
    model: textOf(modelVersion),
  }
}

/** Names the spoken answer. */
export function audioIdOf({ responseId }: Fields, candidate: number): string {
  return `audio_${textOf(responseId) || 'reply'}_${candidate}`
}

/**
 * Ids for calls that came without: the same for the same reply, other ones for another reply as far as the reply says
 * who it is. In letters that every provider takes, as a conversation may go on with another one.
 */
export function callIds({ responseId, createTime }: Fields, candidate: number) {
  const reply = textOf(responseId) || textOf(createTime)
  return (name: string, at: number): string => {
    const origin = (reply || name).replace(/[^a-zA-Z0-9_-]/g, '').slice(0, MAX_ID_CHARS)
    return candidate === 0 ? `call_${origin}_${at}` : `call_${origin}_${candidate}_${at}`
  }
}

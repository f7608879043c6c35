import type { ChatChunk, ChatCompletion, Choice, ChunkChoice, Delta, ReplyMessage } from '../../contract/chat-reply.ts'

// An answer on its way through the gateway: what callers see of it, which the contract describes, and what only the gateway
// knows of it. The latter are members of the answer too, so that they travel with it without a wrapper for each chunk. Each of
// them is an Internal, which no writer has to remember to leave out.

/** A complete answer. */
export type Answer = Omit<ChatCompletion, 'choices'> & {
  choices: AnswerChoice[]
  /** The provider's own reply, if the caller uses the provider's format. */
  nativeReply?: Internal<Record<string, unknown>>
}
export type AnswerChoice = Omit<Choice, 'message'> & { message: AnswerMessage } & Ended
export type AnswerMessage = ReplyMessage & Planned

/** A piece of a streamed answer. */
export type AnswerChunk = Omit<ChatChunk, 'choices'> & {
  choices: AnswerPiece[]
  /** The provider's own events that belong to this chunk, if the caller uses the provider's format. */
  nativeEvents?: Internal<readonly NativeEvent[]>
  /** The same for the Gemini format: each of its events is a reply, without a type. */
  nativeReplies?: Internal<readonly Record<string, unknown>[]>
}
export type AnswerPiece = Omit<ChunkChoice, 'delta'> & { delta: AnswerDelta } & Ended
export type AnswerDelta = Delta &
  Planned & {
    /**
     * What the provider did by itself, in its place. A stream sends this content whole, once, at its end, because clients
     * differ in how they join lists; formats that have items of their own for these blocks need each of them here.
     */
    placedBlocks?: Internal<readonly PlacedBlock[]>
  }

/** Why the end of an answer is uncertain, for the notes of the call. */
type Ended = { endNote?: Internal<string> }

/** Where in the reasoning the plan begins that Cohere writes before it calls tools: its own clients get it as a plan again. */
type Planned = { planStart?: Internal<number> }

export type NativeEvent = Record<string, unknown> & { type: string }

export type PlacedBlock = { type: string; block: Record<string, unknown> }

/**
 * The value of a member that only the gateway reads. JSON.stringify leaves the member out, and a copy made in any other way
 * is without the value, because it is private.
 */
export class Internal<Value> {
  readonly #value: Value

  constructor(value: Value) {
    this.#value = value
  }

  /** Undefined also if the provider has sent a member with this name, which is passed on like any other. */
  static read<Value>(member: Internal<Value> | undefined): Value | undefined {
    return member instanceof Internal ? member.#value : undefined
  }

  toJSON(): undefined {
    return undefined
  }
}

/** What callers see of a complete answer, for all that reads or writes it otherwise than JSON.stringify does. */
export function withoutInternals(answer: Answer): ChatCompletion {
  if (answer.nativeReply instanceof Internal) delete answer.nativeReply
  for (const choice of answer.choices) {
    if (choice.endNote instanceof Internal) delete choice.endNote
    if (choice.message.planStart instanceof Internal) delete choice.message.planStart
  }
  return answer
}

/** Whether the caller gets the chunk in the provider's own form: it was not made by a translation. */
export function isNative({ nativeEvents, nativeReplies }: AnswerChunk): boolean {
  return nativeEvents instanceof Internal || nativeReplies instanceof Internal
}

export function placeBlock(delta: AnswerDelta, placed: PlacedBlock): AnswerDelta {
  delta.placedBlocks = new Internal([...blocksIn(delta), placed])
  return delta
}

export function blocksIn(delta: AnswerDelta): readonly PlacedBlock[] {
  return Internal.read(delta.placedBlocks) ?? NO_BLOCKS
}

const NO_BLOCKS: readonly PlacedBlock[] = []

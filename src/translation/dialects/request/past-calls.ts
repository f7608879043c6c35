import type { Message } from '../../../contract/chat.ts'
import type { Loc } from '../../../base/schema/issue-messages.ts'
import { parseToSend } from '../../json/exact-numbers.ts'
import { tryParse } from '../../json/try-parse.ts'
import { cannotTake } from '../cannot-take.ts'
import { CallIds } from './call-ids.ts'
import type { Notes } from '../notes.ts'
import { type Fields, isRecord, recordOf, textOf } from '../../../base/schema/record.ts'
import { writeJson } from '../../json/written-numbers.ts'

/** A call that the assistant made in an earlier turn; `id` is unique in the conversation, `call` is the caller's original. */
export type PastCall = { id: string; name: string; arguments: string; call: Fields }

/** Tracks the calls of a conversation, and which of them a result answers. */
export class PastCalls {
  readonly #provider: string
  readonly #ids = new CallIds()
  readonly #names = new Map<string, string>()
  /** Calls without a result so far. */
  #open = new Map<string, PastCall>()
  /** The same calls, oldest last, all of them and by the name of their function. Calls that already have a result are skipped. */
  #waiting: PastCall[] = []
  #waitingByName = new Map<string, PastCall[]>()

  constructor(provider: string) {
    this.#provider = provider
  }

  /** The calls of an assistant message: `tool_calls`, or the single `function_call` of old clients. */
  made({ tool_calls, function_call }: Message, at: number): PastCall[] {
    const loc = ['messages', at, 'tool_calls']
    if (tool_calls != null && !Array.isArray(tool_calls))
      throw cannotTake(loc, `${this.#provider} needs a list of calls here`)
    const calls = (tool_calls ?? []).map((call: unknown, index) => this.#read(recordOf(call), [...loc, index]))
    if (isRecord(function_call)) calls.push(this.#read({ function: function_call }, ['messages', at]))
    if (calls.length > 0) this.#wait(calls)
    for (const { id, name } of calls) this.#names.set(id, name)
    return calls
  }

  /** The call that a message of the role `tool` or `function` answers; without a name if it is unknown. */
  answered({ tool_call_id, name }: Message, at: number): Pick<PastCall, 'id' | 'name'> {
    const named = textOf(tool_call_id)
    const id = named ? this.#ids.answered(named) : this.#unnamed(name)?.id
    if (!id)
      throw cannotTake(['messages', at, 'tool_call_id'], `${this.#provider} needs to know which call this answers`)
    this.#open.delete(id)
    return { id, name: this.#names.get(id) ?? textOf(name) }
  }

  /** Old clients name the function instead of the call: the result belongs to its first call without a result. */
  #unnamed(name: unknown): PastCall | undefined {
    return this.#oldestOpen(this.#waitingByName.get(textOf(name)) ?? []) ?? this.#oldestOpen(this.#waiting)
  }

  /** A list, because the first entry of a Map is found by passing all entries that were deleted before it. */
  #oldestOpen(calls: PastCall[]): PastCall | undefined {
    while (calls.length > 0 && this.#open.get(calls.at(-1)!.id) !== calls.at(-1)) calls.pop()
    return calls.at(-1)
  }

  #wait(calls: readonly PastCall[]): void {
    this.#open = new Map(calls.map((call) => [call.id, call]))
    this.#waiting = calls.toReversed()
    this.#waitingByName = Map.groupBy(this.#waiting, ({ name }) => name)
  }

  /** A call without an id gets one from its position, which is the same every time the conversation is sent. */
  #read(call: Fields, loc: Loc): PastCall {
    const { name, arguments: json, input } = recordOf(call.function ?? call.custom)
    if (typeof name !== 'string' || !name) throw cannotTake(loc, `${this.#provider} needs the function of a call`)
    const args = isRecord(call.custom) && !call.function ? { input } : (json ?? {})
    const text = typeof args === 'string' ? args : writeJson(args)
    const position = loc.filter((step) => typeof step === 'number').join('_')
    const id = this.#ids.made(textOf(call.id) || `call_${position}`)
    return { id, name, arguments: text.trim() || '{}', call }
  }
}

/** For wire formats that require an object: anything else is wrapped under a name of its own. */
export function argumentsOf({ arguments: text }: PastCall, notes: Notes): Fields {
  const parsed = tryParse(text, parseToSend)
  if (isRecord(parsed)) return parsed
  notes.translated('messages.tool_calls', 'arguments that are not a JSON object are sent as `_raw`')
  return { _raw: text }
}

import { validationProblemOf } from '../../contract/validation-problem.ts'
import { notAmong } from '../../base/schema/issue-messages.ts'
import { memberText, type ReadText } from '../../translation/json/parse-body.ts'

// A frame of the client is the body of a request to POST /v3/responses with three more members: `type`, and `generate`, which is false if
// the client only wants to hand over what is known before its person has written; and `previous_response_id` may name the last response of the same
// connection, also if that one is not stored.

const CREATE = 'response.create'

/** Members that are not passed on as they are. */
const READ_HERE: ReadonlySet<string> = new Set(['type', 'generate', 'stream', 'input', 'previous_response_id'])

/** What came before on the connection: JSON texts of items, after those of a stored response, if there is one. */
export type Turn = { id: string; previous: string | undefined; items: string }

export type CreateFrame = {
  /** False: nothing is asked of a model. */
  generates: boolean
  /** The JSON text for POST /v3/responses. */
  body: string
  model: string
  previous: string | undefined
  /** The whole input, as the texts of its items. */
  items: string
}

export function readFrame(frame: ReadText, last: Turn | undefined): CreateFrame {
  if (stringOf(frame, 'type') !== CREATE) throw validationProblemOf([notAmong(['body', 'type'], [CREATE])])
  const named = stringOf(frame, 'previous_response_id')
  const continued = named !== undefined && named === last?.id ? last : undefined
  const previous = continued ? continued.previous : named
  const input = memberText(frame, 'input')
  const items = joined([continued?.items, itemsOf(input)])
  return {
    generates: memberText(frame, 'generate') !== 'false',
    body: bodyOf(frame, { previous, input: continued ? `[${items}]` : input }),
    model: stringOf(frame, 'model') ?? '',
    previous,
    items,
  }
}

function bodyOf(
  { text, outline }: ReadText,
  { previous, input }: { previous: string | undefined; input: string | undefined },
): string {
  const others = outline.members
    .filter(({ key }) => !READ_HERE.has(key))
    .map(({ start, end }) => text.slice(start, end))
  const ours = [
    '"stream":true',
    ...(input === undefined ? [] : [`"input":${input}`]),
    ...(previous === undefined ? [] : [`"previous_response_id":${JSON.stringify(previous)}`]),
  ]
  return `{${[...others, ...ours].join(',')}}`
}

/** A text is one message of the user. */
function itemsOf(input: string | undefined): string {
  if (input === undefined || input === 'null') return ''
  if (input.startsWith('[')) return input.slice(1, -1).trim()
  return `{"type":"message","role":"user","content":${input}}`
}

export function joined(items: readonly (string | undefined)[]): string {
  return items.filter(Boolean).join(',')
}

/** A member that is not a string is left to the schema of the request. */
function stringOf(frame: ReadText, key: string): string | undefined {
  const text = memberText(frame, key)
  if (text === undefined || !text.startsWith('"')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

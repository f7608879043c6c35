import { tryParse } from '../../json/try-parse.ts'
import { kindOfStatus, type ProblemKind, UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { WireResponse } from '../../wire/wire.ts'
import { kindOfRefusal } from '../answer/operators-refusals.ts'
import { codeOf, sentenceOf } from '../answer-problems.ts'
import { isRecord, recordOf, textOf } from '../../../base/schema/record.ts'

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors An answer
// names its exception in a header and only sometimes in its body; a frame always names it.

const EXCEPTIONS: Record<string, { kind: ProblemKind; status: number }> = {
  validation: { kind: 'bad_request', status: 400 },
  servicequotaexceeded: { kind: 'rate_limited', status: 400 },
  accessdenied: { kind: 'auth', status: 403 },
  unrecognizedclient: { kind: 'auth', status: 403 },
  expiredtoken: { kind: 'auth', status: 403 },
  invalidsignature: { kind: 'auth', status: 403 },
  resourcenotfound: { kind: 'model_not_found', status: 404 },
  modeltimeout: { kind: 'timeout', status: 408 },
  modelerror: { kind: 'server_error', status: 424 },
  modelstreamerror: { kind: 'server_error', status: 424 },
  throttling: { kind: 'rate_limited', status: 429 },
  modelnotready: { kind: 'overloaded', status: 429 },
  internalserver: { kind: 'server_error', status: 500 },
  serviceunavailable: { kind: 'overloaded', status: 503 },
}

/** Only the message says what a 400 is about. */
const SENTENCES: [words: RegExp, kind: ProblemKind][] = [
  [
    /too long|too many input tokens|context (length|window)|maximum context|exceeds? the (model|maximum).{0,200}token/i,
    'context_length',
  ],
  [/model identifier is invalid|on-demand throughput isn.t supported|end of its life/i, 'model_not_found'],
  [/blocked by (the )?content|content (filter|policy)|guardrail (has )?(intervened|blocked)/i, 'content_policy'],
  [/service quota|quota exceeded/i, 'rate_limited'],
]

export function problem(status: number, text: string, headers: WireResponse['headers'] = {}): UpstreamProblem {
  const body = recordOf(tryParse(text))
  const type = textOf(headers['x-amzn-errortype']) || textOf(body.__type ?? body.type)
  return toProblem(type, messageIn(body), status)
}

/** An exception or an error in a frame of a stream. */
export function problemOfEvent(name: string, data: string): UpstreamProblem {
  const type = name.slice(name.indexOf(':') + 1)
  const { originalStatusCode } = recordOf(tryParse(data))
  const status = typeof originalStatusCode === 'number' ? originalStatusCode : exceptionOf(type)?.status
  return toProblem(type, messageIn(recordOf(tryParse(data))), status ?? 500)
}

/** An error that came with status 200. */
export function problemIn(value: unknown): UpstreamProblem | undefined {
  if (!isRecord(value) || typeof value.__type !== 'string') return undefined
  return toProblem(value.__type, messageIn(value), exceptionOf(value.__type)?.status ?? 500)
}

function messageIn({ message, Message }: Record<string, unknown>): string {
  return textOf(message) || textOf(Message)
}

function toProblem(type: string, text: string, status: number): UpstreamProblem {
  const message = sentenceOf(text, status)
  const kind = kindOf(type, message, status)
  return new UpstreamProblem(kind, message, { status, ...codeOf(kind, plainName(type)) })
}

function kindOf(type: string, message: string, status: number): ProblemKind {
  const named = exceptionOf(type)?.kind
  if (named ? named === 'bad_request' : status === 400)
    return SENTENCES.find(([words]) => words.test(message))?.[1] ?? kindOfRefusal(400, message)
  if (named) return named
  if (status === 429 && /not ready/i.test(message)) return 'overloaded'
  return kindOfStatus(status)
}

function exceptionOf(type: string) {
  const key = plainName(type)
    .replace(/Exception$|Error$/i, '')
    .toLowerCase()
  return Object.hasOwn(EXCEPTIONS, key) ? EXCEPTIONS[key] : undefined
}

/** `com.amazon.coral.service#ThrottlingException:http://…` is a ThrottlingException. */
function plainName(type: string): string {
  const [name = ''] = type.slice(type.lastIndexOf('#') + 1).split(':', 1)
  return name
}

import Type from '../../../base/schema/type.ts'
import type { ChatRequest } from '../../../contract/chat.ts'
import { freeObject, optional, words } from '../../../base/schema/fields.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { Problem, problem } from '../../../contract/problems.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import { closedParams } from '../closed-params.ts'
import { type AnswerTexts, answerHook, type PostTools } from '../hook.ts'
import { healAnswer } from '../healing/heal-answer.ts'
import { bareSchema, schemaIssues } from '../healing/read-schema.ts'
import { OutOfSteps } from '../step-budget.ts'

const MAX_ISSUES_SHOWN = 20
/** A longer answer is repaired and checked in a thread. */
const MAX_SHORT_CHARS = 50_000
/** A longer answer is not sent back to the model to be corrected: that would cost more than a new request. */
const MAX_RETRIED_CHARS = 200_000
/** A longer schema is not repeated to the model. */
const MAX_SCHEMA_SHOWN_CHARS = 20_000

const Params = closedParams({
  json_schema: optional(
    freeObject(),
    'The schema of the JSON; the schema of `response_format` if absent. Conditions and references to the outside are not supported.',
  ),
  retry: optional(
    Type.Boolean(),
    'Ask the model once more, with the issues, if the answer cannot be repaired and has at most 200,000 characters.',
    { default: false },
  ),
  on_failure: optional(words(['error', 'pass']), 'What happens to an answer that cannot be used.', {
    default: 'error',
  }),
})

export default answerHook({
  description:
    'Repairs an answer that was meant to be JSON (fences, words around it, quotes, commas, a missing end) and checks it ' +
    'against a schema. A stream is held back until it ends. An answer that only calls tools stays unchanged. The schema may ' +
    'have 5,000 parts and 50,000 values; an answer that takes too much work to check cannot be used.',
  params: Params,
  rules({ json_schema }, loc) {
    return json_schema ? schemaIssues(bareSchema(json_schema), [...loc, 'json_schema']) : []
  },
  holds: () => true,
  async run(answer, params, tools) {
    if (answer.refusal || (answer.callsTools && !answer.content)) return answer
    const schema = params.json_schema ? bareSchema(params.json_schema) : requestedSchema(tools.request)
    const first = await heal(answer.content ?? '', schema, tools)
    const mayRetry = 'issues' in first && params.retry && !first.isTooMuch && isShort(answer)
    const healed = mayRetry ? await retry(answer, schema, first.issues, tools) : first
    if (!('issues' in healed)) return { ...answer, content: healed.text }
    if (params.on_failure !== 'pass') throw misfit(healed.issues)
    tools.flag(sentenceOf(healed.issues[0]!))
    return answer
  },
})

function isShort({ content }: AnswerTexts): boolean {
  return (content ?? '').length <= MAX_RETRIED_CHARS
}

/** `isTooMuch` means that the limits of work, time or memory were reached first. */
type Healed = { text: string } | { issues: ValidationIssue[]; isTooMuch?: boolean }

async function heal(content: string, schema: unknown, tools: PostTools): Promise<Healed> {
  return healShort(content, schema, tools) ?? (await healLong(content, schema, tools))
}

/** Undefined if the work would block the event loop for too long. */
function healShort(content: string, schema: unknown, { shortWork }: PostTools): Healed | undefined {
  if (content.length > MAX_SHORT_CHARS) return undefined
  try {
    return healAnswer(content, schema, shortWork)
  } catch (error) {
    if (error instanceof OutOfSteps) return undefined
    throw error
  }
}

async function healLong(content: string, schema: unknown, tools: PostTools): Promise<Healed> {
  try {
    return await tools.engine('json_heal', { content, schema: schemaText(schema) })
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_error') throw error
    return { issues: [valueError([], error.message)], isTooMuch: true }
  }
}

async function retry(
  { content }: AnswerTexts,
  schema: unknown,
  issues: ValidationIssue[],
  tools: PostTools,
): Promise<Healed> {
  const before = content ? [{ role: 'assistant' as const, content }] : []
  const order = { role: 'user' as const, content: orderFor(schema, issues) }
  const answer = await tools.askAgain([...tools.request.messages, ...before, order])
  return answer === undefined ? { issues } : await heal(answer, schema, tools)
}

function orderFor(schema: unknown, issues: readonly ValidationIssue[]): string {
  const reported = issues.slice(0, MAX_ISSUES_SHOWN).map((issue) => `- ${sentenceOf(issue)}`)
  const text = isRecord(schema) ? schemaText(schema) : ''
  const isReported = text !== '' && text.length <= MAX_SCHEMA_SHOWN_CHARS
  const shape = isReported ? ` of this schema:\n${text}` : '.'
  return `Your answer could not be used:\n${reported.join('\n')}\n\nGive the whole answer again, as JSON and nothing else${shape}`
}

/** A schema that the provider already accepted is not refused here: parts that cannot be checked are ignored. */
function requestedSchema({ response_format }: ChatRequest): unknown {
  const format = response_format?.json_schema
  if (!isRecord(format)) return true
  const cached = checkable.get(format)
  if (cached !== undefined) return cached
  const schema = bareSchema(format)
  const checked = schemaIssues(schema, []).length === 0 ? schema : true
  checkable.set(format, checked)
  return checked
}

/** All answers of a call are checked against the same schema, so it is read and written only once. */
const checkable = new WeakMap<object, unknown>()
const texts = new WeakMap<object, string>()

function schemaText(schema: unknown): string {
  if (!isRecord(schema)) return JSON.stringify(schema)
  const text = texts.get(schema) ?? JSON.stringify(schema)
  texts.set(schema, text)
  return text
}

function misfit([first]: ValidationIssue[]): Problem {
  return problem('upstream_error', { message: `The answer is not the requested JSON (${sentenceOf(first!)}).` })
}

function sentenceOf({ loc, msg }: ValidationIssue): string {
  return `${loc.join('.') || 'the whole answer'}: ${msg}`
}

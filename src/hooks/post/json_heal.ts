import Type from '../../contract/type.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import { freeObject, optional, words } from '../../contract/fields.ts'
import { jsonInvalid } from '../../contract/fault-words.ts'
import { isObject } from '../../contract/meant-branch.ts'
import { type Fault, type Problem, problem } from '../../contract/problems.ts'
import { closedParams } from '../closed-params.ts'
import { type Answer, answerHook, type PostTools } from '../hook.ts'
import { healJson } from '../healing/heal-json.ts'
import { bareSchema, schemaFaults } from '../healing/read-schema.ts'
import { valueFaults } from '../healing/check-value.ts'

const MAX_FAULTS_TOLD = 20

const Params = closedParams({
  json_schema: optional(
    freeObject(),
    'What the JSON has to look like; the schema of `response_format` when absent. No conditions, and references only inside it.',
  ),
  retry: optional(Type.Boolean(), 'Ask the model once more, with what was wrong, when mending is not enough.', {
    default: false,
  }),
  on_failure: optional(words(['error', 'pass']), 'What becomes of an answer that cannot be used.', {
    default: 'error',
  }),
})

export default answerHook({
  description:
    'Mends an answer that was meant to be JSON (fences, words around it, quotes, commas, a missing end) and checks it ' +
    'against a schema. A stream is held back until it ends. An answer that only calls tools is left alone.',
  params: Params,
  rules({ json_schema }, loc) {
    return json_schema ? schemaFaults(bareSchema(json_schema), [...loc, 'json_schema']) : []
  },
  holds: () => true,
  async run(answer, params, tools) {
    if (answer.refusal || (answer.callsTools && !answer.content)) return answer
    const schema = params.json_schema ? bareSchema(params.json_schema) : askedSchema(tools.request)
    const first = heal(answer.content ?? '', schema)
    const healed = 'faults' in first && params.retry ? await retry(answer, schema, first.faults, tools) : first
    if (!('faults' in healed)) return { ...answer, content: healed.text }
    if (params.on_failure !== 'pass') throw misfit(healed.faults)
    tools.flag(said(healed.faults[0]!))
    return answer
  },
})

type Healed = { text: string } | { faults: Fault[] }

function heal(content: string, schema: unknown): Healed {
  const text = healJson(content)
  if (text === undefined) return { faults: [jsonInvalid([])] }
  const faults = valueFaults(schema, JSON.parse(text))
  if (faults.length > 0) return { faults }
  // What was JSON to begin with stays as it was written, to the last blank.
  return { text: text === content.trim() ? content : text }
}

async function retry({ content }: Answer, schema: unknown, faults: Fault[], tools: PostTools): Promise<Healed> {
  const before = content ? [{ role: 'assistant' as const, content }] : []
  const order = { role: 'user' as const, content: orderFor(schema, faults) }
  const answer = await tools.askAgain([...tools.request.messages, ...before, order])
  return answer === undefined ? { faults } : heal(answer, schema)
}

function orderFor(schema: unknown, faults: readonly Fault[]): string {
  const told = faults.slice(0, MAX_FAULTS_TOLD).map((fault) => `- ${said(fault)}`)
  const shape = isObject(schema) ? ` of this schema:\n${JSON.stringify(schema)}` : '.'
  return `Your answer could not be used:\n${told.join('\n')}\n\nGive the whole answer again, as JSON and nothing else${shape}`
}

/** A schema that a provider was given is not refused here for what it holds: what cannot be checked is not checked. */
function askedSchema({ response_format }: ChatRequest): unknown {
  const format = response_format?.json_schema
  if (!isObject(format)) return true
  const schema = bareSchema(format)
  return schemaFaults(schema, []).length === 0 ? schema : true
}

function misfit([first]: Fault[]): Problem {
  return problem('upstream_error', { message: `The answer is not the JSON that was asked for (${said(first!)}).` })
}

function said({ loc, msg }: Fault): string {
  return `${loc.join('.') || 'the whole answer'}: ${msg}`
}

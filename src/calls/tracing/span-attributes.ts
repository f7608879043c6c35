import { inputOf, outputOf, type Tokens } from '../../money/billing/token-buckets.ts'
import type { AnswerFacts } from '../call-trace.ts'
import type { AttributeList } from '../../platform/telemetry/otlp/span.ts'
import type { Names } from '../../platform/telemetry/semconv.ts'

export function addRoute(list: AttributeList, endpoint: string, { attributes: names }: Names): AttributeList {
  const space = endpoint.indexOf(' ')
  return list.add(names.method, endpoint.slice(0, space)).add(names.route, endpoint.slice(space + 1))
}

export function addJob(list: AttributeList, id: string, names: Names): AttributeList {
  return addMessage(list, { type: 'process', operation: 'run', id }, names)
}

export function addSubmitted(list: AttributeList, id: string, names: Names): AttributeList {
  return addMessage(list, { type: 'send', operation: 'submit', id }, names)
}

/** The conventions see a queue of jobs as a queue of messages. */
function addMessage(
  list: AttributeList,
  { type, operation, id }: { type: string; operation: string; id: string },
  { attributes: names }: Names,
): AttributeList {
  return list
    .add(names.messagingSystem, 'gatehouse')
    .add(names.messagingDestination, 'jobs')
    .add(names.messagingType, type)
    .add(names.messagingOperation, operation)
    .add(names.messageId, id)
}

/** What the answer says about itself. */
export function addAnswer(
  list: AttributeList,
  { id, model, finishReasons }: AnswerFacts,
  { attributes: names }: Names,
): void {
  list
    .add(names.responseId, id || null)
    .add(names.responseModel, model || null)
    .add(names.finishReasons, finishReasons.length > 0 ? finishReasons : null)
}

/** The conventions count cached tokens as input, and reasoning as output. */
export function addTokens(list: AttributeList, tokens: Tokens, { attributes: names }: Names): void {
  const { cacheRead, cacheWrite, cacheWrite1h, reasoning } = tokens
  list
    .add(names.inputTokens, inputOf(tokens))
    .add(names.outputTokens, outputOf(tokens))
    .add(names.cacheRead, cacheRead || null)
    .add(names.cacheWrite, cacheWrite + cacheWrite1h || null)
    .add(names.reasoningTokens, reasoning || null)
}

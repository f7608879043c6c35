import type { TSchema } from '../../contract/type.ts'
import type { ChatCompletion } from '../../contract/chat-reply.ts'
import { jsonInvalid } from '../../contract/fault-words.ts'
import { faults } from '../../contract/faults.ts'
import type { JsonSchema } from '../../contract/json-schema.ts'
import type { Fault } from '../../contract/problems.ts'
import type { Feature, Task } from '../feature.ts'
import { fitAnswer } from './fit-answer.ts'
import { llmTaskOf } from './llm-tasks.ts'
import { parseAnswer } from './parse-answer.ts'

/** The task's output from what the model wrote, or what is wrong with it. */
export function readReply(
  feature: Feature,
  task: Task<unknown>,
  completion: ChatCompletion,
): { output: unknown } | { faults: Fault[] } {
  const { asked, rules, complete } = llmTaskOf(feature)
  const parsed = parseAnswer(completion.choices[0]?.message.content ?? '')
  if (!parsed) return { faults: [jsonInvalid([])] }
  const answer = fitAnswer(asked, parsed)
  const wrong = faultsIn(asked, answer)
  const unfit = wrong.length > 0 ? wrong : rules(answer, task)
  if (unfit.length > 0) return { faults: unfit }
  const output = complete(answer, task)
  const misshapen = faultsIn(feature.output, output)
  return misshapen.length > 0 ? { faults: misshapen } : { output }
}

/** Not compiled: a model takes seconds to answer, and compiling takes longer than one answer can make up for. */
function faultsIn(schema: TSchema, value: unknown): Fault[] {
  return faults(schema as JsonSchema, value, [])
}

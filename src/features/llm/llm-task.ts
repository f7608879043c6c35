import type { Static, TSchema } from '../../contract/type.ts'
import type { Fault } from '../../contract/problems.ts'
import type { Feature, Task } from '../feature.ts'

/** How a chat model does a task: it is asked for what only it can say, and the rest is worked out. */
export type LlmTask = {
  instructions: string
  /** The shape of the model's answer. */
  asked: TSchema
  /** What is wrong with an answer of the right shape. */
  rules(answer: unknown, task: Task<unknown>): Fault[]
  /** The task's output from the model's answer. */
  complete(answer: unknown, task: Task<unknown>): unknown
}

type Definition<F extends Feature, Asked extends TSchema> = {
  instructions: string
  asked: Asked
  rules?(answer: Static<Asked>, task: Task<Static<F['input']>>): Fault[]
  complete(answer: Static<Asked>, task: Task<Static<F['input']>>): Static<F['output']>
}

export function llmTask<F extends Feature, Asked extends TSchema>(
  feature: F,
  definition: Definition<F, Asked>,
): [Feature, LlmTask] {
  return [feature, { rules: () => [], ...definition } as LlmTask]
}

/** A task whose output the model can say as it is. */
export function plainTask(feature: Feature, instructions: string): [Feature, LlmTask] {
  return [feature, { instructions, asked: feature.output, rules: () => [], complete: (answer) => answer }]
}

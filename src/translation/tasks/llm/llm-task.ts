import type { Static, TSchema } from '../../../base/schema/type.ts'
import type { ValidationIssue } from '../../../base/schema/validation-issue.ts'
import type { Feature, Task } from '../feature.ts'

/** How a chat model does a task: the model supplies what only it can know, and the code computes the rest. */
export type LlmTask = {
  instructions: string
  /** The schema of the model's answer. */
  answerSchema: TSchema
  /** Fields of the input that are fields of the chat request, with the values they have if the input has none. */
  chatFields: Readonly<Record<string, number>>
  /** Errors of an answer that matches the schema. */
  rules(answer: unknown, task: Task<unknown>): ValidationIssue[]
  /** The task's output from the model's answer. */
  complete(answer: unknown, task: Task<unknown>): unknown
}

type Definition<F extends Feature, Answer extends TSchema> = {
  instructions: string
  answerSchema: Answer
  chatFields?: Readonly<Record<string, number>>
  rules?(answer: Static<Answer>, task: Task<Static<F['input']>>): ValidationIssue[]
  complete(answer: Static<Answer>, task: Task<Static<F['input']>>): Static<F['output']>
}

export function llmTask<F extends Feature, AnswerType extends TSchema>(
  feature: F,
  definition: Definition<F, AnswerType>,
): [Feature, LlmTask] {
  return [feature, { chatFields: {}, rules: () => [], ...definition } as LlmTask]
}

/** A task whose output is the model's answer, unchanged. */
export function plainTask(feature: Feature, instructions: string): [Feature, LlmTask] {
  return llmTask(feature, { instructions, answerSchema: feature.output, complete: (answer) => answer })
}

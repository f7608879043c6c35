import type { Feature } from '../feature.ts'
import { CLASSIFICATION_TASKS } from './classification-tasks.ts'
import { DOCUMENT_TASKS } from './document-tasks.ts'
import { GENERATION_TASKS } from './generation-tasks.ts'
import type { LlmTask } from './llm-task.ts'
import { TEXT_TASKS } from './text-tasks.ts'

const LLM_TASKS: ReadonlyMap<Feature, LlmTask> = new Map([
  ...TEXT_TASKS,
  ...CLASSIFICATION_TASKS,
  ...GENERATION_TASKS,
  ...DOCUMENT_TASKS,
])

/** Whether a chat model can do the task. */
export function isLlmTask(feature: Feature): boolean {
  return LLM_TASKS.has(feature)
}

export function llmTaskOf(feature: Feature): LlmTask {
  const found = LLM_TASKS.get(feature)
  if (!found) throw new Error(`No chat model is asked for ${feature.feature}/${feature.subfeature}`)
  return found
}

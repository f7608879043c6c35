import type { Adapter, Feature, Task, Tools } from './feature.ts'
import { measuredUnits } from './measured-units.ts'
import { SANDBOX_ANSWERS } from './sandbox-answers.ts'

/** A simulated provider of any task: returns the task's example, adapted to the input if necessary. */
export function sandboxAdapter(feature: Feature): Adapter {
  return {
    async run(task: Task<unknown>, tools: Tools) {
      const answer = SANDBOX_ANSWERS.get(feature)
      const example = structuredClone(feature.example.output)
      const output = answer ? await answer(task.input, example, tools) : example
      return { output, original: { simulated: true, output }, units: measuredUnits(feature, task) }
    },
  }
}

import type { SlowProvider, SlowStep } from '../attempts/slow-work.ts'
import type { Feature, ResultOf, SlowAdapter, TaskOf, Tools } from '../../translation/tasks/feature.ts'

/** A slow adapter of a task, as slow providers are asked. Also a caller who has gone wants the task to be ended. */
export function slowTask<F extends Feature, Ticket>(
  adapter: SlowAdapter<F, Ticket>,
  task: TaskOf<F>,
  tools: Tools,
): SlowProvider<Ticket, ResultOf<F>> {
  const { cancel } = adapter
  type Step = SlowStep<Ticket, ResultOf<F>>
  return {
    submit: async (): Promise<Step> => ({ done: false, ticket: await adapter.start(task, tools), afterMs: 0 }),
    poll: async (ticket): Promise<Step> => {
      const state = await adapter.poll(ticket, tools)
      return state === 'pending' ? { done: false, ticket } : { done: true, result: state }
    },
    cancel: cancel && ((ticket) => cancel(ticket, { ...tools, signal: new AbortController().signal })),
  }
}

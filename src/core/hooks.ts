import type { ChatRequest } from '../contract/chat.ts'
import { type Fault, problem } from '../contract/problems.ts'

/** Hooks are names from a fixed list, never code; the list is empty so far, so every name is an unknown one. */
export function refuseHooks(request: ChatRequest): void {
  const detail = [...faultsOf('pre_hooks', request.pre_hooks), ...faultsOf('post_hooks', request.post_hooks)]
  if (detail.length > 0)
    throw problem('validation_error', { message: detail[0]!.msg, param: String(detail[0]!.loc[1]), detail })
}

function faultsOf(field: string, hooks: ChatRequest['pre_hooks']): Fault[] {
  return (hooks ?? []).map((_, index) => {
    return { loc: ['body', field, index, 'action'], msg: 'There is no such hook action here', type: 'value_error' }
  })
}

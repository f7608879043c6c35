import type { CallServices } from '../../calls/services/call-services.ts'
import { runParts } from '../../calls/attempts/run-call.ts'
import { type Call, knownCost } from '../../calls/call.ts'
import { problem } from '../../contract/problems.ts'
import type { UniversalRequest, UniversalResponse } from '../../contract/universal.ts'
import type { Feature, Result } from '../../translation/tasks/feature.ts'
import { doTask } from './do-task.ts'
import { prepareTask } from './prepare-task.ts'
import type { TaskTarget } from './task-targets.ts'

/** Does the task while the caller waits. */
export function universal(request: UniversalRequest, call: Call, services: CallServices): Promise<UniversalResponse> {
  return runParts(
    async () => {
      const prepared = await prepareTask(request, call, services)
      refuseSlow(prepared.feature)
      const { target, result } = await doTask(prepared, call, services)
      return present(target, result, call, request.show_original_response === true)
    },
    call,
    services,
  )
}

function refuseSlow({ mode, feature, subfeature }: Feature) {
  if (mode === 'sync') return
  const message = `${feature}/${subfeature} takes too long to wait for: send it to POST /v3/universal-ai/async.`
  throw problem('validation_error', {
    message,
    param: 'model',
    detail: [{ loc: ['body', 'model'], msg: message, type: 'value_error' }],
  })
}

function present(
  { feature, provider }: TaskTarget,
  { output, original }: Result<unknown>,
  call: Call,
  showOriginal: boolean,
): UniversalResponse {
  return {
    status: 'success',
    cost: knownCost(call),
    provider: provider.id,
    feature: feature.feature,
    subfeature: feature.subfeature,
    output,
    ...(showOriginal && { original_response: original }),
  }
}

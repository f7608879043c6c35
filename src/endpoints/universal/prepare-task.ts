import type { CallServices } from '../../calls/services/call-services.ts'
import type { Call } from '../../calls/call.ts'
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'
import type { UniversalRequest } from '../../contract/universal.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import type { Feature } from '../../translation/tasks/feature.ts'
import type { TempBytes } from '../../calls/files/temp-file-writer.ts'
import { destinationIssues } from '../../calls/upstream/provider-params.ts'
import { requireCollection } from './collections.ts'
import { taskTargets, type TaskTarget } from './task-targets.ts'
import { checkInput } from './task-schemas.ts'

/** A task whose model string and input are valid. */
export type PreparedTask = {
  feature: Feature
  targets: TaskTarget[]
  request: UniversalRequest
  /** Files that are in the request itself, by the name of their field. */
  inline?: Readonly<Record<string, TempBytes>> | undefined
  /** Where the caller wrote a file of the input; absent: in `input`. */
  locOf?: ((path: readonly (string | number)[]) => ValidationIssue['loc']) | undefined
  /** What one target gets of `provider_params`; absent: all of it. */
  paramsFor?: ((target: TaskTarget, params: Record<string, unknown>) => Record<string, unknown>) | undefined
}

/** Refuses everything that can be refused before a provider is called or a job is accepted. */
export async function prepareTask(
  request: UniversalRequest,
  call: Pick<Call, 'caller'>,
  services: CallServices,
): Promise<PreparedTask> {
  const targets = taskTargets(request, call.caller, services)
  const { feature } = targets[0]!
  checkInput(feature, request.input)
  checkParams(request.provider_params, targets)
  if (feature.collections) await requireCollection(String(request.input.collection_id), targets, call.caller, services)
  return { feature, targets, request }
}

function checkParams(params: UniversalRequest['provider_params'], targets: readonly TaskTarget[]): void {
  if (!params) return
  const providers = targets.map(({ provider }) => provider)
  const issues = destinationIssues(params, ['body', 'provider_params'], providers)
  if (issues.length > 0) throw validationProblemOf(issues)
}

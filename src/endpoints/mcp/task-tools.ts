import { type Fields, recordOf } from '../../base/schema/record.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import type { Feature } from '../../translation/tasks/feature.ts'
import { FEATURES } from '../../translation/tasks/index.ts'
import { doersOf } from '../universal/discovery.ts'
import { type Endpoint, type OfferedTool, type Outcome, PREFIX, type ToolKit } from './offered-tool.ts'
import { shortJobId } from './short-job-id.ts'
import { dataResult, factsOf, failureResult, isFailure, jsonOf, outputSchema } from './tool-results.ts'
import { inputSchema, printed, printedObject } from './tool-schema.ts'

// One tool for each task that a provider does for the caller. Its arguments are the input of the task, and `provider`.

const NOW: Endpoint = 'POST /v3/universal-ai'
const LATER: Endpoint = 'POST /v3/universal-ai/async'
const JOB: Endpoint = 'GET /v3/universal-ai/async/{job_id}'
const MAX_NAMED = 12
const MAX_FALLBACKS = 3

export function taskTools(caller: Caller, services: CallServices): OfferedTool[] {
  return FEATURES.flatMap((task) => toolFor(task, caller, services) ?? [])
}

function toolFor(task: Feature, caller: Caller, services: CallServices): OfferedTool | undefined {
  const { models, llms } = doersOf(task, caller, services)
  // A simulated answer is one only for a key that wants it.
  const real = models.filter((one) => caller.kind === 'sandbox' || !isSimulated(one, services))
  if (real.length === 0 && llms.length === 0) return undefined
  const { feature, subfeature, fullname, mode, output } = task
  const { properties, required } = printedObject(task.input)
  const [usual] = real
  return {
    tool: {
      name: `${PREFIX}${feature}_${subfeature}`,
      title: fullname,
      description: descriptionOf(task),
      inputSchema: inputSchema(
        { ...properties, provider: { type: 'string', description: aboutProviders(real, llms) } },
        usual === undefined ? [...required, 'provider'] : required,
      ),
      outputSchema: mode === 'sync' ? outputSchema(printed(output)) : JOB_STARTED,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    endpoints: mode === 'sync' ? [NOW] : [LATER, JOB],
    task: `${feature}/${subfeature}`,
    run: (args, kit) => runTask(task, real, args, kit),
  }
}

export function isSimulated(model: string, { config }: Pick<CallServices, 'config'>): boolean {
  return config.providers[model.split('/', 1)[0]!]?.simulated === true
}

function descriptionOf({ description, mode }: Feature): string {
  if (mode === 'sync') return description
  return `${description} Long-running: answers with a job id at once; ask ${PREFIX}check_job for the result.`
}

function aboutProviders(models: readonly string[], llms: readonly string[]): string {
  const [usual] = models
  const named = models.slice(0, MAX_NAMED).join(', ')
  const ofModels =
    llms.length > 0 ? ` Also a chat model, as \`provider/model\`, of: ${llms.slice(0, MAX_NAMED).join(', ')}.` : ''
  return usual === undefined ? `Who does it.${ofModels}` : `Who does it: ${named}. Default: ${usual}.${ofModels}`
}

async function runTask(task: Feature, models: readonly string[], args: Fields, kit: ToolKit): Promise<Outcome> {
  const { provider, ...input } = args
  const [usual, ...others] = models
  const chosen = typeof provider === 'string' && provider !== '' ? provider : usual
  const isFree = chosen === usual && provider === undefined && task.fallbacks !== false
  const body = {
    model: [task.feature, task.subfeature, ...(chosen === undefined ? [] : [chosen])].join('/'),
    input,
    ...(isFree && others.length > 0 && { fallbacks: others.slice(0, MAX_FALLBACKS) }),
  }
  const answer = await kit.ask({ endpoint: task.mode === 'sync' ? NOW : LATER, json: body })
  if (isFailure(answer)) return { result: failureResult(answer) }
  const json = jsonOf(answer)
  if (task.mode === 'sync') return { result: await dataResult(json.output, factsOf(answer, json), kit) }
  return jobStarted(String(json.job_id), { request_id: factsOf(answer).request_id })
}

const JOB_STARTED = {
  type: 'object',
  properties: {
    job_id: { type: 'string', description: `What to ask ${PREFIX}check_job with.` },
    status: { type: 'string', description: '`processing`' },
  },
}

function jobStarted(id: string, facts: Fields): Outcome {
  const started = { job_id: shortJobId(id), status: 'processing' }
  const text = `The job ${started.job_id} has started. Ask ${PREFIX}check_job with this id for its result.`
  return {
    result: { content: [{ type: 'text', text }], structuredContent: started, _meta: recordOf(facts) },
    job: { id },
  }
}

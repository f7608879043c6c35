import { setTimeout as wait } from 'node:timers/promises'
import { SECOND_MS } from '../../base/units/units.ts'
import { type Fields, recordOf, textOf } from '../../base/schema/record.ts'
import { jobsBetween, listJobs } from '../../platform/store/jobs/jobs.ts'
import { textResult, type ToolResult } from '../../translation/mcp/tools.ts'
import { type Endpoint, type OfferedTool, type Outcome, PREFIX, type ToolKit } from './offered-tool.ts'
import { readJobId, shortJobId } from './short-job-id.ts'
import { dataResult, factsOf, failureResult, isFailure, jsonOf } from './tool-results.ts'
import { inputSchema } from './tool-schema.ts'

const JOB: Endpoint = 'GET /v3/universal-ai/async/{job_id}'
const MAX_WAIT_SECONDS = 300
const POLL_MS = 1_000
const LISTED = 10

export const CHECK_JOB: OfferedTool = {
  tool: {
    name: `${PREFIX}check_job`,
    title: 'Check a job',
    description: 'Says how far a job is, and has its result when it has ended. Without an id: your latest jobs.',
    inputSchema: inputSchema({
      job_id: { type: 'string', description: 'The id that the tool answered, such as `job-7k2q9-xm4t3-h`.' },
      wait_seconds: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        default: 0,
        description: 'How long to wait for the end of the job before answering.',
      },
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  endpoints: [JOB],
  run: async (args, kit) => ({ result: await checkJob(args, kit) }),
}

async function checkJob({ job_id, wait_seconds }: Fields, kit: ToolKit): Promise<ToolResult> {
  if (job_id === undefined || job_id === '') return await latestJobs(kit)
  const range = typeof job_id === 'string' ? readJobId(job_id) : undefined
  if (!range) return await unknownJob('This is no id of a job: a character of it is wrong or missing.', kit)
  const found = await jobsBetween(kit.services.db, kit.caller.owner, range)
  if (found.length !== 1) return await unknownJob('There is no such job.', kit)
  const seconds = typeof wait_seconds === 'number' ? Math.min(Math.max(wait_seconds, 0), MAX_WAIT_SECONDS) : 0
  return (await jobResult(found[0]!, kit, seconds)).result
}

/** The result of a job of the caller, as that of the tool that began it. `isOver`: it has ended. */
export async function jobResult(
  id: string,
  kit: ToolKit,
  waitSeconds = 0,
): Promise<Outcome & { isOver: boolean; createdAt: string }> {
  const until = kit.services.monotonic() + waitSeconds * SECOND_MS
  for (;;) {
    const answer = await kit.ask({ endpoint: JOB, parameters: { job_id: id } })
    if (isFailure(answer)) return { result: failureResult(answer), isOver: true, createdAt: '' }
    const job = jsonOf(answer)
    const createdAt = textOf(job.created_at)
    if (job.status === 'success')
      return { result: await dataResult(job.output, factsOf(answer, job), kit), isOver: true, createdAt }
    if (job.status === 'fail') {
      const text = textOf(recordOf(job.error).message) || 'The job failed.'
      return { result: { ...textResult(text, true), _meta: factsOf(answer, job) }, isOver: true, createdAt }
    }
    if (kit.services.monotonic() >= until) return { result: stillRunning(id), isOver: false, createdAt }
    kit.progress('The job is being processed.')
    await wait(POLL_MS, undefined, { signal: kit.signal })
  }
}

function stillRunning(id: string): ToolResult {
  const job_id = shortJobId(id)
  return {
    content: [{ type: 'text', text: `The job ${job_id} is being processed. Ask again, or with wait_seconds.` }],
    structuredContent: { job_id, status: 'processing' },
  }
}

async function unknownJob(text: string, kit: ToolKit): Promise<ToolResult> {
  const { content } = await latestJobs(kit)
  return { content: [{ type: 'text', text }, ...content], isError: true }
}

async function latestJobs({ caller, services }: ToolKit): Promise<ToolResult> {
  const { jobs } = await listJobs(services.db, caller.owner, { page: 1, limit: LISTED })
  const listed = jobs.map(({ id, status, feature, subfeature, createdAt }) => {
    return {
      job_id: shortJobId(id),
      status,
      task: `${feature}/${subfeature}`,
      created_at: new Date(createdAt).toISOString(),
    }
  })
  const lines = listed.map(({ job_id, status, task, created_at }) => `${job_id} ${status} ${task} ${created_at}`)
  const text = lines.length === 0 ? 'You have no jobs.' : `Your latest jobs:\n${lines.join('\n')}`
  return { content: [{ type: 'text', text }], structuredContent: { jobs: listed } }
}

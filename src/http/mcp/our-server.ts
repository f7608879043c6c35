import { DAY_MS } from '../../base/units/units.ts'
import { isRecord, textOf, type Fields } from '../../base/schema/record.ts'
import { isResourceId } from '../../base/schema/resource-id.ts'
import { jobResult } from '../../endpoints/mcp/job-tool.ts'
import { listedTools } from '../../endpoints/mcp/offered-tools.ts'
import type { OfferedTool, Outcome, ToolKit } from '../../endpoints/mcp/offered-tool.ts'
import { ERROR_CODES, invalidParams, methodNotFound, McpProblem } from '../../translation/mcp/errors.ts'
import type { RpcRequest } from '../../translation/mcp/messages.ts'
import { hasExtension, type RequestMeta, TASKS_EXTENSION } from '../../translation/mcp/meta.ts'
import { type CacheHint, resultFor } from '../../translation/mcp/results.ts'
import { type DetailedTask, RESULT_TYPE, type Task } from '../../translation/mcp/tasks.ts'
import { textResult } from '../../translation/mcp/tools.ts'
import {
  agreedVersion,
  MODERN_VERSION,
  type ProtocolVersion,
  SUPPORTED_VERSIONS,
} from '../../translation/mcp/versions.ts'
import { packageVersion } from '../../platform/version.ts'
import { Problem } from '../../contract/problems.ts'
import { bodyOf } from '../problems.ts'

// The methods of our own server. It keeps nothing between two requests, so that any process can answer any of them.

type Asked = {
  version: ProtocolVersion
  message: RpcRequest
  meta?: RequestMeta | undefined
  /** Which tools the address of the server names. */
  choice: string | undefined
  kit: ToolKit
}

const SERVER = { name: 'gatehouse', title: 'Gatehouse', version: packageVersion() }

const INSTRUCTIONS =
  'Tools of an AI gateway. Names begin with gatehouse_. gatehouse_find_tools finds tools that are not in the list, and gatehouse_run_tool ' +
  'runs them. Files are http(s) URLs or the file_id that gatehouse_upload_file returns. Long work answers with a job id for ' +
  'gatehouse_check_job. Results state their cost in USD in _meta.'

/** Lists depend on the key, and change when a provider is set up. */
const LIST_CACHE: CacheHint = { ttlMs: 60_000, cacheScope: 'private' }
const POLL_MS = 2_000

type Method = (asked: Asked) => object | Promise<object>

/** In every revision. */
const METHODS: Readonly<Record<string, Method>> = {
  'tools/list': ({ version, choice, kit }) => {
    const tools = listedTools(kit.tools, choice).map(({ tool }) => tool)
    return resultFor(version, SERVER, { tools }, { cache: LIST_CACHE })
  },
  'tools/call': callTool,
}

const MODERN_METHODS: Readonly<Record<string, Method>> = {
  'server/discover': ({ version }) =>
    resultFor(
      version,
      SERVER,
      {
        supportedVersions: SUPPORTED_VERSIONS,
        capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
        instructions: INSTRUCTIONS,
      },
      { cache: LIST_CACHE },
    ),
  'tasks/get': getTask,
  'tasks/update': ({ version, message }) => {
    taskIdOf(message)
    throw invalidParams('No task of this server waits for input.', statusOf(version))
  },
  // A client says that it does not want the result any more. A provider that works already is paid anyway, so the job goes on.
  'tasks/cancel': async ({ version, message, kit }) => {
    await taskOf(taskIdOf(message), kit)
    return resultFor(version, SERVER, {})
  },
}

const LEGACY_METHODS: Readonly<Record<string, Method>> = {
  initialize: ({ message: { params } }) => ({
    protocolVersion: agreedVersion(params.protocolVersion),
    capabilities: { tools: {} },
    serverInfo: SERVER,
    instructions: INSTRUCTIONS,
  }),
  ping: () => ({}),
}

/** The result of a request, or throws the problem that it has. */
export async function answerRequest(asked: Asked): Promise<object> {
  const { version, message } = asked
  const ofEra = version === MODERN_VERSION ? MODERN_METHODS : LEGACY_METHODS
  const method = [METHODS, ofEra].find((table) => Object.hasOwn(table, message.method))?.[message.method]
  if (!method) throw methodNotFound(message.method, version === MODERN_VERSION ? 404 : 200)
  return await method(asked)
}

async function callTool({ version, message, meta, kit }: Asked): Promise<object> {
  const { name, arguments: given = {} } = message.params
  const found = typeof name === 'string' ? kit.tools.get(name) : undefined
  if (!found) throw invalidParams(`Unknown tool: ${textOf(name).slice(0, 128)}`, 200)
  if (!isRecord(given)) throw invalidParams('The arguments of a tool are an object.', 200)
  const outcome = await run(found, given, kit)
  const isTask =
    outcome.job !== undefined && meta !== undefined && hasExtension(meta.clientCapabilities, TASKS_EXTENSION)
  if (!isTask) return resultFor(version, SERVER, outcome.result)
  const { task } = await taskOf(outcome.job!.id, kit)
  return resultFor(version, SERVER, task, { resultType: RESULT_TYPE.task })
}

/** What the gateway refuses is told to the model, which may call the tool differently. */
async function run(tool: OfferedTool, args: Fields, kit: ToolKit): Promise<Outcome> {
  try {
    return await tool.run(args, kit)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { message, code } = bodyOf(error).error
    return { result: { ...textResult(message, true), _meta: { status: error.status, code } } }
  }
}

async function getTask({ version, message, kit }: Asked): Promise<object> {
  const { task, outcome } = await taskOf(taskIdOf(message), kit)
  const detailed: DetailedTask = outcome.isOver ? { ...task, status: 'completed', result: outcome.result } : task
  return resultFor(version, SERVER, detailed)
}

function taskIdOf({ params: { taskId } }: RpcRequest): string {
  if (typeof taskId !== 'string' || !isResourceId(taskId)) throw unknownTask()
  return taskId
}

function unknownTask(): McpProblem {
  return new McpProblem(200, { code: ERROR_CODES.invalidParams, message: 'There is no such task.' })
}

/** A job as a task. A tool that failed is a task that is complete: its result says that it failed. */
async function taskOf(id: string, kit: ToolKit) {
  const outcome = await jobResult(id, kit)
  if (outcome.createdAt === '') throw unknownTask()
  const { services } = kit
  const task: Task = {
    taskId: id,
    status: outcome.isOver ? 'completed' : 'working',
    createdAt: outcome.createdAt,
    lastUpdatedAt: outcome.isOver ? new Date(services.now()).toISOString() : outcome.createdAt,
    ttlMs: services.config.jobRetentionDays * DAY_MS,
    pollIntervalMs: POLL_MS,
  }
  return { task, outcome }
}

function statusOf(version: ProtocolVersion): 200 | 400 {
  return version === MODERN_VERSION ? 400 : 200
}

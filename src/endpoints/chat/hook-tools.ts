import type { Message } from '../../contract/chat.ts'
import type { ChatCompletion } from '../../contract/chat-reply.ts'
import type { Loc } from '../../base/schema/issue-messages.ts'
import { Problem, problem } from '../../contract/problems.ts'
import type { Attachments } from '../../calls/files/attachments.ts'
import type { PostTools, PreTools, TaskRequest } from '../../translation/hooks/hook.ts'
import type { LongWork } from '../../translation/hooks/long-work.ts'
import type { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import type { StepBudget } from '../../translation/hooks/step-budget.ts'
import { chatWorstCase } from '../../calls/upstream/bounds/chat-worst-case.ts'
import { askWhole } from '../../calls/upstream/ask.ts'
import { tryTargets } from '../../calls/attempts/try-targets.ts'
import { type Call, partOf } from '../../calls/call.ts'
import { mayUseEndpoint } from '../../tenants/access/caller.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { personalDataIn } from './personal-data-in.ts'
import type { ChatAttempt, ChatTarget } from '../../calls/routing/chat-targets.ts'
import { shortened } from '../../calls/routing/router/shortened.ts'
import { isCustomizedChat } from '../../calls/upstream/customized.ts'
import { taskTargets } from '../universal/task-targets.ts'
import { type ChatInput, withFilesOf } from '../../calls/upstream/chat-input.ts'
import { rethrowEngineFailure, textOfDocument } from '../../calls/file-inputs/text-of-file.ts'
import { doTask } from '../universal/do-task.ts'
import { prepareTask } from '../universal/prepare-task.ts'
import { CHARS_PER_TOKEN } from '../../translation/wire/chars-per-token.ts'

// What hooks may use. Everything runs on behalf of the caller: with the rights of its key, at its cost, and until it leaves.

/** The target that answered, and what it was asked. */
export type AnsweredChat = { target: ChatTarget; input: ChatInput }

/** What one hook of a call works with. */
type HookRun = {
  loc: Loc
  call: Call
  services: CallServices
  /** The files of the request that are read while they are sent. */
  attachments: Attachments | undefined
  placeholders: Placeholders
  shortWork: StepBudget
  longWork: LongWork
  streamWork: StepBudget
  flag(reason: string): void
}

export function preTools(run: HookRun): PreTools {
  const { loc, call, services, placeholders, shortWork, longWork, flag } = run
  const reader = { signal: call.signal, owner: call.caller.owner, services }
  return {
    loc,
    task: (request, input) => runTask(request, input, { loc, call, services }),
    textOfDocument: (bytes) => textOfAttached(bytes, run),
    personalDataIn: async (texts, kinds) => {
      return await personalDataIn(texts, kinds, reader).catch((error) => {
        throw atHook(error, loc)
      })
    },
    estimateTokens: (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
    shortWork,
    longWork,
    engine: async (name, input) => {
      return await services
        .engine(name, input, call.signal, call.caller.owner)
        .catch(rethrowEngineFailure)
        .catch((error) => {
          throw atHook(error, loc)
        })
    },
    placeholders,
    flag,
  }
}

export function postTools(run: HookRun, answered: AnsweredChat): PostTools {
  const { request } = answered.input
  const { streamWork } = run
  return { ...preTools(run), streamWork, request, askAgain: (messages) => askAgain(messages, answered, run) }
}

/** A hook decodes the bytes in the request. For a file that is read while it is sent, these bytes are only a marker. */
async function textOfAttached(
  bytes: Uint8Array,
  { attachments, call: { signal, caller }, services }: HookRun,
): Promise<string | undefined> {
  const file = attachments?.findDecoded(bytes)
  return await textOfDocument(file ? await file.bytes() : bytes, { signal, owner: caller.owner, services })
}

type HookCall = Pick<HookRun, 'loc' | 'call' | 'services'>

/** Refuses a task that is not available here, or that this key could not run directly, before any provider is called. */
export function checkTask(input: TaskRequest, { loc, call, services }: HookCall): void {
  try {
    const { caller } = call
    if (!mayUseEndpoint(caller, 'universal')) throw noTasks(input)
    taskTargets(input, caller, services)
  } catch (error) {
    throw atHook(error, loc)
  }
}

function noTasks({ model }: TaskRequest) {
  const message = `This hook runs the task '${shortened(model)}', for which this key needs the scope 'universal'.`
  return problem('not_allowed', { message })
}

async function runTask(request: TaskRequest, input: Record<string, unknown>, { loc, call, services }: HookCall) {
  const part = partOf(call, { isAside: true })
  try {
    const { result } = await doTask(await prepareTask({ ...request, input }, part, services), part, services)
    return result.output
  } catch (error) {
    throw atHook(error, loc)
  }
}

/** Asks the same target again, once. There is an answer already, so a failure here does not fail the call. */
async function askAgain(messages: Message[], { target, input }: AnsweredChat, { call, services }: HookCall) {
  const { n: _, stream: __, stream_options: ___, ...rest } = input.request
  const again = withFilesOf(input, { request: { ...rest, messages } })
  const plan = {
    targets: [target],
    worstCase: chatWorstCase(again),
    isCustomized: () => isCustomizedChat(input),
    ask: (attempt: ChatAttempt) => askWhole(attempt, again),
  }
  try {
    const { reply } = await tryTargets(plan, partOf(call), services)
    return wholeText(reply)
  } catch (error) {
    if (call.signal.aborted || !(error instanceof Problem)) throw error
    return undefined
  }
}

/** An answer that was cut or refused is none. */
function wholeText({ choices: [choice] }: ChatCompletion): string | undefined {
  return choice?.finish_reason === 'stop' ? (choice.message.content ?? undefined) : undefined
}

/** Turns a problem of a task into a problem of the hook that ran the task. */
function atHook(error: unknown, loc: Loc): unknown {
  if (!(error instanceof Problem)) return error
  const [, field, index] = loc
  const detail = error.details.detail?.map((issue) => ({ ...issue, loc: [...loc, ...locInParams(issue.loc)] }))
  return error.with({ param: `${field}.${index}`, ...(detail && { detail }) })
}

/** Translates a location in a task's request to the hook's parameters. */
function locInParams([, part, ...rest]: Loc): Loc {
  if (part === 'model') return ['provider']
  return part === 'input' || part === undefined ? rest : [part, ...rest]
}

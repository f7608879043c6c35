import type { Message } from '../contract/chat.ts'
import type { Loc } from '../contract/fault-words.ts'
import { Problem, problem } from '../contract/problems.ts'
import type { ChatCall } from '../dialects/dialect.ts'
import type { PostTools, PreTools, TaskAsked } from '../hooks/hook.ts'
import type { Placeholders } from '../hooks/pii/placeholders.ts'
import type { StepBudget } from '../hooks/step-budget.ts'
import { askWhole } from './ask.ts'
import { attempt } from './attempt.ts'
import { newCall } from './call.ts'
import { mayUseEndpoint } from './caller.ts'
import type { Outside } from './outside.ts'
import { personalDataIn } from './personal-data-in.ts'
import type { ChatTarget } from './route.ts'
import { shortened } from './routing/shortened.ts'
import type { HookedCall } from './run-hooks.ts'
import { charsOfMessage, settle } from './settle.ts'
import { routeTask } from './task-route.ts'
import { spend } from './task-spending.ts'
import { tellOfEngine, textOfDocument } from './text-of-file.ts'
import { doTask, prepareTask } from './universal.ts'

// What hooks may use. All of it runs for the caller: with its key's rights, until it leaves, at its cost.

const CHARS_PER_TOKEN = 4

/** Who answered what. */
export type Answered = { target: ChatTarget; asked: ChatCall }

/** One hook's share in a call. */
export type HookContext = {
  loc: Loc
  call: HookedCall
  outside: Outside
  placeholders: Placeholders
  shortWork: StepBudget
  streamWork: StepBudget
  flag(reason: string): void
}

export function preTools(context: HookContext): PreTools {
  const { loc, call, outside, placeholders, shortWork, flag } = context
  const reader = { signal: call.signal, owner: call.caller.owner, outside }
  return {
    loc,
    task: (asked, input) => runTask(asked, input, { loc, call, outside }),
    textOfDocument: (bytes) => textOfAttached(bytes, call, outside),
    personalDataIn: async (texts, kinds) => {
      return await personalDataIn(texts, kinds, reader).catch((error) => {
        throw atHook(error, loc)
      })
    },
    estimateTokens: (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
    shortWork,
    engine: async (name, input) => {
      return await outside
        .engine(name, input, call.signal, call.caller.owner)
        .catch(tellOfEngine)
        .catch((error) => {
          throw atHook(error, loc)
        })
    },
    placeholders,
    flag,
  }
}

export function postTools(context: HookContext, answered: Answered): PostTools {
  const { request } = answered.asked
  const { streamWork } = context
  return { ...preTools(context), streamWork, request, askAgain: (messages) => askAgain(messages, answered, context) }
}

/** A hook decodes what stands in the request. For a file that is read while it is sent, that is a mark. */
async function textOfAttached(bytes: Uint8Array, call: HookedCall, outside: Outside): Promise<string | undefined> {
  const { attachments, signal, caller } = call
  const file = attachments?.findDecoded(bytes)
  return await textOfDocument(file ? await file.bytes() : bytes, { signal, owner: caller.owner, outside })
}

type Place = Pick<HookContext, 'loc' | 'call' | 'outside'>

/** Refuses a task that nobody here does, or that this key could not have done directly, before anyone is called. */
export function checkTask(asked: TaskAsked, { loc, call, outside }: Place): void {
  try {
    if (!mayUseEndpoint(call.caller, 'universal')) throw noTasks(asked)
    routeTask(asked, call.caller, outside)
  } catch (error) {
    throw atHook(error, loc)
  }
}

function noTasks({ model }: TaskAsked) {
  const message = `This hook runs the task '${shortened(model)}', for which this key needs the scope 'universal'.`
  return problem('not_allowed', { message })
}

async function runTask(asked: TaskAsked, input: Record<string, unknown>, { loc, call, outside }: Place) {
  const inner = newCall({ ...call })
  try {
    const { result } = await doTask(await prepareTask({ ...asked, input }, inner, outside), inner, outside)
    charge(call, inner.cost)
    return result.output
  } catch (error) {
    // A chat model whose answer could not be used was paid all the same.
    if (inner.tokens) charge(call, inner.cost)
    throw atHook(error, loc)
  }
}

/** The same target again. What it says then is the last word: an answer is there already, so a failure is none of the call's. */
async function askAgain(messages: Message[], { target, asked }: Answered, { call, outside }: Place) {
  const { n: _, stream: __, stream_options: ___, ...rest } = asked.request
  const request = { ...rest, messages }
  const inner = newCall({ ...call })
  try {
    const { reply } = await attempt([target], inner, outside, (one, chance) => {
      return askWhole(one, chance, { request }, inner, outside)
    })
    const chars = reply.choices.reduce((sum, { message }) => sum + charsOfMessage(message), 0)
    settle(call, target, request, { usage: reply.usage, serviceTier: reply.service_tier, chars })
    return reply.choices[0]?.message.content ?? undefined
  } catch (error) {
    if (call.signal.aborted || !(error instanceof Problem)) throw error
    return undefined
  }
}

/** Before the model has answered there is no cost yet to add to: it is kept until there is. */
function charge(call: HookedCall, cost: number | null): void {
  if (call.tokens) return spend(call, cost)
  call.hookCost = call.hookCost === null || cost === null ? null : call.hookCost + cost
}

/** What a task has to complain of is told as a matter of the hook that asked for it. */
function atHook(error: unknown, loc: Loc): unknown {
  if (!(error instanceof Problem)) return error
  const { message, status, code, type, details } = error
  const [, field, index] = loc
  const detail = details.detail?.map((fault) => ({ ...fault, loc: [...loc, ...wayInParams(fault.loc)] }))
  return problem('upstream_error', {
    ...details,
    ...{ message, status, code, type, param: `${field}.${index}` },
    ...(detail && { detail }),
  })
}

/** The parts of a task's request by the names that they have in a hook. */
function wayInParams([, part, ...rest]: Loc): Loc {
  if (part === 'model') return ['provider']
  return part === 'input' || part === undefined ? rest : [part, ...rest]
}

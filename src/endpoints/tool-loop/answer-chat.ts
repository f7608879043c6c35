import type { Call } from '../../calls/call.ts'
import type { DryRun } from '../../calls/attempts/plan.ts'
import { runParts, runTurns } from '../../calls/attempts/run-call.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import type { ChatCompletion } from '../../contract/chat-reply.ts'
import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { wantsUsage } from '../../translation/dialects/request/other-spellings.ts'
import { blockedAnswer, blockedStream, UnlessBlocked } from '../chat/blocked-answer.ts'
import { chat, streamChat, submitChat } from '../chat/chat.ts'
import type { ChunkStream } from '../chat/relay.ts'
import { AnswerStream } from './answer-stream.ts'
import { approvedArguments } from './approved-arguments.ts'
import { ToolLoop } from './loop.ts'
import { openTools, type WantedTools, wantedTools } from './open-tools.ts'
import { wholeAnswer } from './whole-answer.ts'

// Every chat comes in here. One that names tools that the gateway runs takes several turns; all others are asked once.

/** Answers a chat in one piece. */
export function answerChat(asked: AskedChat, call: Call, services: CallServices): Promise<ChatCompletion> {
  const answer = wholeAnswerOf(asked, call, services)
  if (!mayBeBlocked(call, services)) return answer
  return answer.catch((error) => blockedAnswer(error, asked.request, call, services))
}

/** Answers a chat as a stream. */
export function streamAnswer(asked: AskedChat, call: Call, services: CallServices): Promise<ChunkStream> {
  const answer = streamedAnswerOf(asked, call, services)
  if (!mayBeBlocked(call, services)) return answer
  return answer.then(
    (stream) => new UnlessBlocked(stream, (error) => blockedStream(error, asked.request, call, services)),
    (error) => blockedStream(error, asked.request, call, services),
  )
}

function mayBeBlocked({ caller }: Call, { guardrails }: Pick<CallServices, 'guardrails'>): boolean {
  return guardrails.ofCaller(caller).some(({ respond }) => respond === 'message')
}

function wholeAnswerOf(asked: AskedChat, call: Call, services: CallServices): Promise<ChatCompletion> {
  const wanted = wantedTools(asked, call, services)
  if (!wanted) return chat(asked, call, services)
  if (services.dryRun) return chat(explained(wanted, call, services.dryRun), call, services)
  return runParts(async () => wholeAnswer(await openLoop(wanted, call, services), call, services), call, services)
}

function streamedAnswerOf(asked: AskedChat, call: Call, services: CallServices): Promise<ChunkStream> {
  const wanted = wantedTools(asked, call, services)
  if (!wanted) return streamChat(asked, call, services)
  if (services.dryRun) return streamChat(explained(wanted, call, services.dryRun), call, services)
  call.record.streams()
  return runTurns(
    async (ending) => {
      const loop = await openLoop(wanted, call, services)
      return AnswerStream.begin({ loop, wantsUsage: wantsUsage(asked.request), call, services, ending })
    },
    call,
    services,
  )
}

/** Refuses what a chat that runs later would refuse before it asks a provider. */
export function submitAnswer(asked: AskedChat, call: Call, services: CallServices): ReturnType<typeof submitChat> {
  const wanted = wantedTools(asked, call, services)
  return submitChat(wanted ? wanted.asked : asked, call, services)
}

async function openLoop(wanted: WantedTools, call: Call, services: CallServices): Promise<ToolLoop> {
  const { asked, approved } = wanted
  const { n, functions } = asked.request
  if (n != null && n > 1) throw cannotTake(['n'], 'with tools that the gateway runs, a request has one answer')
  if (functions?.length) throw cannotTake(['functions'], 'tools that the gateway runs need "tools" beside them')
  const showsSteps = !asked.request.post_hooks?.length && !services.guardrails.enforcesFor(call.caller)
  const tools = await openTools(wanted, call, services)
  const argumentsOf = (json: string) => approvedArguments(json, asked.request, call, services)
  return new ToolLoop({ asked, tools, approved, approvedArguments: argumentsOf, showsSteps }, call)
}

/** An explanation asks no server for its tools. */
function explained({ asked }: WantedTools, { record }: Call, dryRun: DryRun): AskedChat {
  dryRun.skippedTools()
  record.noteRequest([
    { field: 'tools', action: 'dropped', reason: 'an explanation leaves out tools that the gateway runs' },
  ])
  return asked
}

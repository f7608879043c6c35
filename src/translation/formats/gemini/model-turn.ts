import type { Message } from '../../../contract/chat.ts'
import { problem } from '../../../contract/problems.ts'
import { CandidateReader } from '../../dialects/gemini/candidate-reader.ts'
import { unpackContent } from '../../dialects/packed-content.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { type Fields, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import { fieldsOf } from './names.ts'
import type { OpenCalls } from './open-calls.ts'
import { isOurSignature, unsealSignature } from './signatures.ts'
import type { TargetFormats } from './target-formats.ts'

type Translation = { targets: TargetFormats; calls: OpenCalls }

/**
 * An earlier answer of the model. It is read as an answer of Google is read, so that a target of Google gets everything back
 * in its place. Other targets get their own reasoning back, which travels in the signatures.
 */
export function modelMessage(parts: readonly Fields[], at: number, { targets, calls }: Translation): Message[] {
  const own = parts.map(plainPart).filter((part) => Object.keys(part).length > 0)
  const { content, tool_calls, ...carried } = read(own, at)
  const made = recordsIn(tool_calls)
  calls.made(made.map(({ id, function: called }) => ({ id: textOf(id), name: textOf(recordOf(called).name) })))
  const sealed = parts.flatMap(({ thoughtSignature }) => unsealSignature(thoughtSignature, targets.providers))
  const forGoogle = targets.dialects.includes('gemini')
  const extras = { ...(forGoogle && carried), ...unpackContent(sealed) }
  if (!content && made.length === 0 && Object.keys(extras).length === 0) return []
  return [
    {
      role: 'assistant',
      content: textOf(content) || (made.length > 0 ? null : ''),
      ...(made.length > 0 && { tool_calls: forGoogle ? made : made.map(withoutSignature) }),
      ...extras,
    },
  ]
}

/** Without a signature that Google would not recognize, and with the names that the reader knows. */
function plainPart({ thoughtSignature, functionCall, inlineData, ...part }: Fields): Fields {
  const isGoogles = textOf(thoughtSignature) !== '' && !isOurSignature(thoughtSignature)
  return {
    ...part,
    ...(functionCall != null && { functionCall: fieldsOf(functionCall) }),
    ...(inlineData != null && { inlineData: fieldsOf(inlineData) }),
    ...(isGoogles && { thoughtSignature }),
  }
}

function read(parts: readonly Fields[], at: number): Fields {
  const reader = new CandidateReader((_name, call) => `call_${at}_${call}`, `audio_${at}`)
  try {
    const { reasoning_content: _, tool_calls, ...content } = reader.read({ content: { parts } }) as Fields
    const { tool_calls: late, ...closing } = reader.end() as Fields
    const calls = [...recordsIn(tool_calls), ...recordsIn(late)].map(({ index: _index, ...call }) => call)
    return { ...content, ...closing, tool_calls: calls }
  } catch (error) {
    if (error instanceof UpstreamProblem) throw notATurn(at)
    throw error
  }
}

function withoutSignature({ extra_content: _, ...call }: Fields): Fields {
  return call
}

function notATurn(at: number) {
  const msg = 'A part of this turn cannot be read: a function call needs a `name`, and `args` that are an object'
  return problem('validation_error', {
    message: `contents.${at}: ${msg}`,
    param: `contents.${at}.parts`,
    detail: [valueError(['body', 'contents', at, 'parts'], msg)],
  })
}

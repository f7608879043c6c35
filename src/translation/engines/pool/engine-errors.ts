import { readFileSync } from 'node:fs'
import { type Problem, problem } from '../../../contract/problems.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { EngineFailure } from '../engine-worker.ts'

// None of these errors means that the engine is broken: the input was too much for it, and a fallback may handle it.

const RETRY_AFTER_SECONDS = 2

export function tooLong(limitMs: number): UpstreamProblem {
  return ofInput('engine_time_limit', `the engine did not finish within ${limitMs / 1_000} seconds and was stopped`)
}

export function tooMuch(): UpstreamProblem {
  return ofInput('engine_memory_limit', 'this input takes more memory than an engine may have')
}

export function crashed(): UpstreamProblem {
  return ofInput('engine_crashed', 'the engine crashed on this input and was restarted')
}

export function atLimit(): UpstreamProblem {
  const failure = new UpstreamProblem('rate_limited', 'the engines of this gateway are at their limit')
  failure.retryAfterSeconds = RETRY_AFTER_SECONDS
  return failure
}

/** An error that the engine reported itself. */
export function toError({ kind, message }: EngineFailure): UpstreamProblem | Problem {
  if (kind === 'missing') return missing(message)
  if (kind === 'memory') return tooMuch()
  if (kind === 'unreadable') return ofInput('unreadable_input', message)
  return ofInput('engine_failed', `the engine failed: ${message}`)
}

/** Engines are optional packages. The version is the one that this gateway was tested with. */
function missing(name: string): Problem {
  const { optionalDependencies, devDependencies } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  const version = { ...devDependencies, ...optionalDependencies }[name]
  const command = `npm install ${name}${version ? `@${version}` : ''}`
  const message = `This engine needs the package '${name}', which is not installed here: ${command}`
  return problem('provider_not_configured', { message, param: 'model' })
}

type Manifest = Record<'optionalDependencies' | 'devDependencies', Record<string, string>>
const MANIFEST = new URL('../../../../package.json', import.meta.url)

function ofInput(code: string, message: string): UpstreamProblem {
  return new UpstreamProblem('context_length', message, { status: 422, code })
}

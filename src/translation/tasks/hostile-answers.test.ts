import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HostileCase, hostileCases } from '../../../test/fakes/hostile-cases.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import recorded from './errors.recorded.json' with { type: 'json' }
import { findAdapter, providersOf } from './adapters.ts'
import type { Adapter, Feature, SlowAdapter } from './feature.ts'
import { exampleTask } from './http/fixtures/example-task.ts'
import { performed, type Recording, type Recordings, recordingOf, toolsAnswering } from './http/fixtures/recording.ts'
import { FEATURES } from './index.ts'

// Every adapter gets its recorded answers and errors, one of which has a hostile value in one place. It makes a result or a
// problem of the provider of them, and is never surprised.

const FEW = 3
const STILL_PENDING = /^It was still pending/
const JSON_TYPE = { 'content-type': 'application/json' }

for (const feature of FEATURES)
  for (const provider of providersOf(feature).filter((one) => one !== 'sandbox' && one !== 'local')) {
    const address = `${feature.feature}/${feature.subfeature}/${provider}`
    test(`${address}: with any value at any place, an answer is a result or a problem of the provider`, async () => {
      const adapter = await findAdapter(feature, provider)!()
      for (const answers of [answersOf(recordingOf(address)), ...errorsOf(provider)])
        for (const [at, answer] of answers.entries())
          for (const hostile of hostileCases(textOf(answer), FEW))
            await neverSurprised(feature, adapter, hostile, { answers: answers.with(at, changed(answer, hostile)) })
    })
  }

function answersOf(recording: Recording | Recordings): Recording[] {
  return 'answers' in recording ? recording.answers : [recording]
}

function errorsOf(provider: string): Recording[][] {
  const errors = (recorded.errors as unknown as Record<string, Recording[]>)[provider] ?? []
  return errors.map((error) => [{ ...error, headers: { ...JSON_TYPE, ...error.headers } }])
}

/** A file stays as it is. */
function changed(answer: Recording, { text }: HostileCase): Recording {
  return answer.base64 === undefined ? { ...answer, json: text } : answer
}

function textOf({ json }: Recording): string {
  return typeof json === 'string' ? json : JSON.stringify(json ?? '')
}

async function neverSurprised(
  feature: Feature,
  adapter: Adapter | SlowAdapter,
  { name }: HostileCase,
  answers: Recordings,
): Promise<void> {
  const { tools } = toolsAnswering(answers)
  try {
    JSON.stringify(await performed(adapter, exampleTask(feature), tools))
  } catch (error) {
    const { message, stack } = error as Error
    assert.ok(error instanceof UpstreamProblem || STILL_PENDING.test(message), `${name}: ${stack}`)
  }
}

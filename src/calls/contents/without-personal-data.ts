import { setImmediate } from 'node:timers/promises'
import type { RunEngine } from '../../translation/engine-api/engines.ts'
import { findInTexts } from '../../translation/hooks/pii/find-in-texts.ts'
import { LongWork } from '../../translation/hooks/long-work.ts'
import { KINDS } from '../../translation/hooks/pii/personal-data.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import { hiddenIn } from '../../translation/hooks/pii/redact-filter.ts'
import { StepBudget } from '../../translation/hooks/step-budget.ts'
import { mapTexts } from './shown-value.ts'

/** About a millisecond on the event loop. More is searched by an engine, in a thread. */
const STEPS_AT_ONCE = 50_000
const ENGINE_MS = 30_000

/** The value with placeholders such as `[EMAIL_1]` instead of the personal data that patterns find. They cannot be restored. */
export async function withoutPersonalData(value: unknown, engine: RunEngine, owner: string): Promise<unknown> {
  const texts = new Set<string>()
  mapTexts(value, (text) => {
    texts.add(text)
    return text
  })
  const tools = {
    shortWork: new StepBudget(STEPS_AT_ONCE),
    engine: ((name, input) => engine(name, input, AbortSignal.timeout(ENGINE_MS), owner)) as Tools['engine'],
  }
  const found = await findInTexts(texts, { kinds: KINDS, tools })
  const redaction = { kinds: KINDS, placeholders: new Placeholders(), isRestored: false }
  const hidden = await hiddenIn(found, redaction, new LongWork(() => setImmediate()))
  return mapTexts(value, (text) => hidden.get(text) ?? text)
}

type Tools = Parameters<typeof findInTexts>[1]['tools']

// The flags of a run.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const FULL = { seconds: 2, slices: 10, warmUps: 5 }
const QUICK = { seconds: 1, slices: 3, warmUps: 1 }
/** Two versions differ by a few per cent: that takes many short pairs to see. */
const AGAINST = { seconds: 1, slices: 40, warmUps: 5 }
const MAX_SECONDS = 30
const MAX_SLICES = 200

export const SCENARIOS = ['small', 'large', 'one', 'streams', 'memory', 'ledger'] as const
export type ScenarioName = (typeof SCENARIOS)[number]

export type Settings = {
  seconds: number
  slices: number
  /** How often a scenario runs before it is counted. */
  warmUps: number
  only: readonly ScenarioName[]
  quick: boolean
  write: boolean
  hottest: boolean
  /** What the steps of a chat cost. */
  steps: boolean
  /** Further gateways to measure: LiteLLM from PyPI, Bifrost from a program on this machine. */
  withOthers: Others
  /** Another checkout of Gatehouse, to be compared with this one only. */
  against?: string
  /** Variables of this checkout only, to see what a setting costs. */
  env: Record<string, string>
  /** In that comparison, this checkout has four budgets and rate limits. */
  limits: boolean
  /** In that comparison, this checkout has guardrails with the three checks inside of the gateway. */
  guardrails: boolean
  /** In that comparison, this checkout sends spans and metrics to a collector. */
  telemetry: boolean
  /** In that comparison, both run at the same time. */
  atOnce: boolean
}

type Others = { litellm: boolean; bifrost?: string }

export const USAGE = `npm run bench -- [flags]
  --quick            about 90 seconds: ${QUICK.slices} slices of ${QUICK.seconds} s, no memory scenario
  --seconds <n>      length of a slice, whole seconds (${FULL.seconds})
  --slices <n>       paired slices per scenario (${FULL.slices})
  --only <a,b>       ${SCENARIOS.join(', ')}
  --memory           the memory scenario also in a quick run
  --steps            also list what each step of a chat costs
  --hottest          also list the functions of Gatehouse that take the most CPU
  --with litellm     also measure LiteLLM, installed from PyPI (needs python3)
  --with bifrost=<program>   also measure Bifrost, a program that is already there
  --write            put the tables into bench/README.md, and their most telling figures into README.md
  --against <dir>    this checkout and the one in <dir> alone, ${AGAINST.slices} paired slices of ${AGAINST.seconds} s, with the interval of the ratio
  --env <NAME=value> with --against: a variable of this checkout alone, to see what a setting costs; may be repeated
  --limits           with --against: this checkout has four budgets and rate limits, the other one none
  --guardrails       with --against: this checkout has guardrails with three checks inside of the gateway, the other one none
  --telemetry        with --against: this checkout sends all spans and its metrics to a collector, the other one none
  --at-once          with --against: both at the same time, which makes the interval narrower on a machine that does other work`

export function readSettings(parameters: string[]): Settings {
  const { values } = parseArgs({
    args: parameters,
    options: {
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      slices: { type: 'string' },
      only: { type: 'string' },
      memory: { type: 'boolean', default: false },
      hottest: { type: 'boolean', default: false },
      steps: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      against: { type: 'string' },
      env: { type: 'string', multiple: true, default: [] },
      limits: { type: 'boolean', default: false },
      guardrails: { type: 'boolean', default: false },
      telemetry: { type: 'boolean', default: false },
      'at-once': { type: 'boolean', default: false },
      with: { type: 'string', multiple: true, default: [] },
    },
  })
  const fallback = values.quick ? QUICK : values.against ? AGAINST : FULL
  return {
    seconds: whole('seconds', values.seconds, fallback.seconds, MAX_SECONDS),
    slices: whole('slices', values.slices, fallback.slices, MAX_SLICES),
    warmUps: fallback.warmUps,
    only: scenariosOf(values),
    quick: values.quick,
    write: values.write,
    hottest: values.hottest,
    steps: values.steps,
    limits: values.limits,
    guardrails: values.guardrails,
    telemetry: values.telemetry,
    atOnce: values['at-once'],
    withOthers: othersOf(values.with),
    env: Object.fromEntries(values.env.map(variableIn)),
    ...(values.against && { against: resolve(values.against) }),
  }
}

function scenariosOf({ only, quick, memory }: { only?: string; quick: boolean; memory: boolean }): ScenarioName[] {
  const named = only?.split(',').map(scenarioName)
  return SCENARIOS.filter(
    (name) => (name === 'memory' && memory) || (named?.includes(name) ?? (name !== 'memory' || !quick)),
  )
}

function othersOf(texts: readonly string[]): Others {
  const others: Others = { litellm: false }
  for (const text of texts) {
    const [, program] = /^bifrost=(.+)$/.exec(text) ?? []
    if (program) others.bifrost = resolve(program)
    else if (text === 'litellm') others.litellm = true
    else throw new Error(`--with does not know '${text}'; it knows litellm and bifrost=<program>`)
  }
  return others
}

function variableIn(text: string): [string, string] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? []
  if (name === undefined) throw new Error('--env takes NAME=value')
  return [name, value!]
}

function scenarioName(text: string): ScenarioName {
  const name = SCENARIOS.find((known) => known === text.trim())
  if (!name) throw new Error(`--only does not know '${text}'; it knows ${SCENARIOS.join(', ')}`)
  return name
}

function whole(flag: string, text: string | undefined, fallback: number, max: number): number {
  const value = text === undefined ? fallback : Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new Error(`--${flag} takes a whole number from 1 to ${max}`)
}

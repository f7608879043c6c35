import { ConfigError } from '../config-error.ts'
import type { Environment } from '../environment.ts'
import { set } from './otel-values.ts'
import type { Sampler } from './telemetry.ts'

const BASES = ['always_on', 'always_off', 'traceidratio'] as const
const NAMES: readonly string[] = [...BASES, ...BASES.map((name) => `parentbased_${name}`)]
const PARENT_BASED = 'parentbased_'

export function readSampler(environment: Environment): Sampler {
  const name = set(environment, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  if (!NAMES.includes(name)) throw new ConfigError(`OTEL_TRACES_SAMPLER: should be one of ${NAMES.join(', ')}`)
  const isParentBased = name.startsWith(PARENT_BASED)
  const base = isParentBased ? name.slice(PARENT_BASED.length) : name
  return { isParentBased, ratio: base === 'traceidratio' ? readRatio(environment) : base === 'always_on' ? 1 : 0 }
}

function readRatio(environment: Environment): number {
  const ratio = Number(set(environment, 'OTEL_TRACES_SAMPLER_ARG') ?? 1)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new ConfigError('OTEL_TRACES_SAMPLER_ARG: should be a number from 0 to 1')
}

import { type Loc, valueError } from '../contract/fault-words.ts'
import { foldName } from '../contract/fold-name.ts'
import type { Fault } from '../contract/problems.ts'
import { type Fields, isRecord } from '../dialects/record.ts'
import {
  DESTINATION_PARTS,
  DESTINATIONS_BY_PROVIDER,
  MODEL_SETTINGS,
  SHARED_TOKENS,
} from '../providers/output-destinations.ts'
import { refused } from './task-schemas.ts'

const NO_DESTINATION = 'Results are returned by the gateway: leave out where else they should go'
const NO_TOKEN = 'All callers share the account at the provider: leave out what makes two requests one'

/** Members of a caller's settings that would send a result elsewhere, or fetch that of somebody else. */
export function destinationFaults(settings: Fields, loc: Loc, providers: readonly string[] = []): Fault[] {
  const own = providers.flatMap((provider) => DESTINATIONS_BY_PROVIDER[provider] ?? [])
  const named = Object.keys(settings).filter((name) => own.includes(plain(name)))
  return [...named.map((name) => valueError([...loc, name], NO_DESTINATION)), ...faultsIn(settings, loc)]
}

/** For endpoints that pass on what they do not know. */
export function refuseDestinations(body: Fields): void {
  const faults = destinationFaults(body, ['body'])
  if (faults.length > 0) throw refused(faults)
}

function faultsIn(value: unknown, loc: Loc): Fault[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => faultsIn(item, [...loc, index]))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const sentence = inner == null ? undefined : whatIsWrong(plain(name))
    return sentence ? [valueError([...loc, name], sentence)] : faultsIn(inner, [...loc, name])
  })
}

function whatIsWrong(name: string): string | undefined {
  if (SHARED_TOKENS.includes(name)) return NO_TOKEN
  return DESTINATION_PARTS.some((part) => part.test(name)) ? NO_DESTINATION : undefined
}

/** Settings without those that would choose another model than the model string does. */
export function withoutModel(settings: Fields): Fields {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !MODEL_SETTINGS.has(plain(name))))
}

function plain(name: string): string {
  return foldName(name).replace(/[^a-z0-9]/g, '')
}

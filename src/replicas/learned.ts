import { createHmac } from 'node:crypto'
import type { Circuits } from '../attempts/circuits.ts'
import type { Opening } from '../attempts/learned-circuits.ts'
import type { LearnedFigures, Observations } from '../attempts/observations.ts'
import type { Config } from '../config/config.ts'
import type { Provider } from '../config/provider-settings.ts'
import { MAX_LEARNED_CHARS } from '../store/installation/processes.ts'
import { readLearnedText } from './learned-text.ts'

const DIGEST_CHARS = 16
/** Figures lose weight with time, so they are written again from time to time even if there is nothing new. */
const WRITE_AGAIN_MS = 60_000
const MIN_SHARE = 1 / 64

export type Learner = {
  /** What this process has learned, as text. */
  text(): string
  /** Takes over what another process has learned. */
  learn(from: string, text: string): void
  forget(from: string): void
}

type Needs = {
  /** The providers of the active configuration. */
  providers(): Config['providers']
  circuits: Circuits
  observations: Observations
  /** A secret that all processes of the installation know. */
  secret: string
  clock?: () => number
}

/**
 * What processes tell each other about providers. Two processes may have different addresses or keys for a provider (while
 * a change is rolled out, or in different regions), and then what one has learned says nothing to the other. So each says
 * with a digest which provider it means; the digest needs a secret of the installation and reveals nothing.
 */
export function openLearner({ providers, circuits, observations, secret, clock = monotonic }: Needs): Learner {
  const digests = new WeakMap<object, string>()
  let written = { text: '', at: clock(), count: 0 }
  return { text, learn, forget }

  function text(): string {
    const openings = circuits.learned.own()
    const isIdle = openings.length === 0 && observations.count === written.count
    if (isIdle && clock() - written.at < WRITE_AGAIN_MS) return written.text
    written = { text: shortEnough(openings, observations.own()), at: clock(), count: observations.count }
    return written.text
  }

  function shortEnough(openings: readonly Opening[], figures: readonly LearnedFigures[]): string {
    if (openings.length === 0 && figures.length === 0) return ''
    for (let share = 1; share > MIN_SHARE; share /= 2) {
      const text = write(part(openings, share), part(figures, share))
      if (text.length <= MAX_LEARNED_CHARS) return text
    }
    return ''
  }

  function write(openings: readonly Opening[], figures: readonly LearnedFigures[]): string {
    const names = [...openings.map(({ name }) => name), ...figures.map(({ target }) => target)]
    const named = Object.fromEntries([...new Set(names.map(providerOf))].map((id) => [id, digestOf(id)]))
    return JSON.stringify({ providers: named, openings, figures }, rounded)
  }

  function learn(from: string, text: string): void {
    const { providers: named, openings, figures } = readLearnedText(text)
    const isSame = (name: string) => named[providerOf(name)] === digestOf(providerOf(name))
    circuits.learned.learn(
      from,
      openings.filter(({ name }) => isSame(name)),
      (name, owner, withinMs) => observations.hasSucceeded(targetOf(name), owner, withinMs),
    )
    observations.learn(
      from,
      figures.filter(({ target }) => isSame(target)),
    )
  }

  function forget(from: string): void {
    circuits.learned.forget(from)
    observations.forget(from)
  }

  function digestOf(id: string): string | undefined {
    const active = providers()
    const provider = Object.hasOwn(active, id) ? active[id] : undefined
    if (!provider) return undefined
    // A reload keeps the objects of providers that it does not change.
    const known = digests.get(provider)
    if (known) return known
    const digest = digestOfProvider(id, provider, secret)
    digests.set(provider, digest)
    return digest
  }
}

function digestOfProvider(id: string, provider: Provider, secret: string): string {
  const { baseUrl, address, addressCredential, credentials } = provider
  const content = JSON.stringify([id, baseUrl, address, addressCredential, credentials])
  return createHmac('sha256', secret).update(content).digest('hex').slice(0, DIGEST_CHARS)
}

function monotonic(): number {
  return performance.now()
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
}

function part<Item>(items: readonly Item[], share: number): Item[] {
  return items.slice(0, Math.ceil(items.length * share))
}

/** The name of a circuit is its target with the index of a credential behind it. */
function targetOf(circuit: string): string {
  return circuit.slice(0, circuit.lastIndexOf(' #'))
}

function providerOf(name: string): string {
  return name.slice(0, name.indexOf('/'))
}

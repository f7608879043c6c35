import { createHmac } from 'node:crypto'
import type { Circuits } from '../../calls/attempts/circuits.ts'
import type { Opening } from '../../calls/attempts/learned-circuits.ts'
import type { LearnedFigures, Observations } from '../../calls/attempts/observations.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { MAX_LEARNED_CHARS } from '../../platform/store/installation/processes.ts'
import { readLearnedText } from './learned-text.ts'

const DIGEST_CHARS = 16
/** Figures lose weight with time, so they are written again from time to time even if there is nothing new. */
const WRITE_AGAIN_MS = 60_000
const MIN_SHARE = 1 / 64

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
export class Learner {
  readonly #needs: Needs
  readonly #clock: () => number
  readonly #digests = new WeakMap<object, string>()
  #written: { text: string; at: number; count: number }

  constructor(needs: Needs) {
    this.#needs = needs
    this.#clock = needs.clock ?? monotonic
    this.#written = { text: '', at: this.#clock(), count: 0 }
  }

  /** What this process has learned, as text. */
  text(): string {
    const { circuits, observations } = this.#needs
    const { count } = observations
    const openings = circuits.learned.own()
    const isIdle = openings.length === 0 && count === this.#written.count
    if (isIdle && this.#clock() - this.#written.at < WRITE_AGAIN_MS) return this.#written.text
    this.#written = { text: this.#shortEnough(openings, observations.own()), at: this.#clock(), count }
    return this.#written.text
  }

  #shortEnough(openings: readonly Opening[], figures: readonly LearnedFigures[]): string {
    if (openings.length === 0 && figures.length === 0) return ''
    for (let share = 1; share > MIN_SHARE; share /= 2) {
      const text = this.#write(part(openings, share), part(figures, share))
      if (text.length <= MAX_LEARNED_CHARS) return text
    }
    return ''
  }

  #write(openings: readonly Opening[], figures: readonly LearnedFigures[]): string {
    const names = [...openings.map(({ name }) => name), ...figures.map(({ target }) => target)]
    const named = Object.fromEntries([...new Set(names.map(providerOf))].map((id) => [id, this.#digestOf(id)]))
    return JSON.stringify({ providers: named, openings, figures }, rounded)
  }

  /** Takes over what another process has learned. */
  learn(from: string, text: string): void {
    const { circuits, observations } = this.#needs
    const { providers: named, openings, figures } = readLearnedText(text)
    const isSame = (name: string) => named[providerOf(name)] === this.#digestOf(providerOf(name))
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

  forget(from: string): void {
    this.#needs.circuits.learned.forget(from)
    this.#needs.observations.forget(from)
  }

  #digestOf(id: string): string | undefined {
    const active = this.#needs.providers()
    const provider = Object.hasOwn(active, id) ? active[id] : undefined
    if (!provider) return undefined
    // A reload keeps the objects of providers that it does not change.
    const cached = this.#digests.get(provider)
    if (cached) return cached
    const digest = digestOfProvider(id, provider, this.#needs.secret)
    this.#digests.set(provider, digest)
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
